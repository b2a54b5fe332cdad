package com.acme.tools;

import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestTemplate;

@RestController
public class ToolsController {
    private final SpelExpressionParser parser = new SpelExpressionParser();
    private final RestTemplate restTemplate = new RestTemplate();
    private final JdbcTemplate jdbc;

    ToolsController(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @GetMapping("/calc")
    public Object calc(@RequestParam String expression) {
        return parser.parseExpression(expression).getValue(); // want high "run as code"
    }

    @GetMapping("/disk")
    public void disk(@RequestParam String dir) throws Exception {
        Runtime.getRuntime().exec("du -sh " + dir); // want high "command"
    }

    @GetMapping("/proxy")
    public String proxy(@RequestParam String url) {
        return restTemplate.getForObject(url, String.class); // want high "address that the server calls"
    }

    @GetMapping("/count")
    public Integer count(@RequestParam String table) {
        return jdbc.queryForObject("SELECT count(*) FROM " + table, Integer.class); // want high "sql"
    }

    static void trustAll() throws Exception {
        SSLContext context = SSLContext.getInstance("TLSv1"); // want medium "outdated tls"
        context.init(null, null, null);
        HttpsURLConnection.setDefaultSSLSocketFactory(context.getSocketFactory());
        HttpsURLConnection.setDefaultHostnameVerifier((host, session) -> true); // want high "not verified"
    }
}
