package com.acme.tools;

import java.util.Map;
import javax.net.ssl.SSLContext;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestTemplate;

@RestController
public class ToolsController {
    private static final Map<String, String> FEEDS = Map.of("news", "https://news.example.com/feed");
    private static final String COUNT = "SELECT count(*) FROM ";
    private final SpelExpressionParser parser = new SpelExpressionParser();
    private final RestTemplate restTemplate = new RestTemplate();
    private final JdbcTemplate jdbc;

    ToolsController(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @GetMapping("/calc")
    public Object calc(@RequestParam int days) {
        return parser.parseExpression("#days * 24").getValue();
    }

    @GetMapping("/disk")
    public void disk() throws Exception {
        Runtime.getRuntime().exec("du -sh /srv/files");
    }

    @GetMapping("/proxy")
    public String proxy(@RequestParam String feed) {
        return restTemplate.getForObject(FEEDS.get(feed), String.class);
    }

    @GetMapping("/count")
    public Integer count(@RequestParam String owner) {
        return jdbc.queryForObject(COUNT + "files WHERE owner = ?", Integer.class, owner);
    }

    static SSLContext context() throws Exception {
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(null, null, null);
        return context;
    }
}
