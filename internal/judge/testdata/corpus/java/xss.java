package forum;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.PrintWriter;
import org.apache.commons.text.StringEscapeUtils;
import org.owasp.encoder.Encode;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.HtmlUtils;

class HelloServlet extends HttpServlet {
    @Override
    protected void doGet(HttpServletRequest req, HttpServletResponse resp) throws IOException {
        resp.setContentType("text/html;charset=UTF-8");
        PrintWriter out = resp.getWriter();
        // ok: xss
        out.println("<html><body>" + "<h1>Forum</h1>");
        // ruleid: xss
        out.println("<h2>Hello " + req.getParameter("name") + "</h2>");
        // ok: xss
        out.println("<h2>Hello " + Encode.forHtml(req.getParameter("name")) + "</h2>");
        // ok: xss
        out.printf("<p>%d topics</p>", Integer.parseInt(req.getParameter("topics")));
    }

    @Override
    protected void doPost(HttpServletRequest req, HttpServletResponse resp) throws IOException {
        String body = req.getParameter("body");
        String title = req.getParameter("title");
        resp.setContentType("text/html");
        // ruleid: xss
        resp.getWriter().write("<article>" + body + "</article>");
        // ruleid: xss
        resp.getWriter().printf(
            "<h1>%s</h1>",
            title);
        // ok: xss
        resp.getWriter().write("<h1>" + StringEscapeUtils.escapeHtml4(title) + "</h1>");
    }
}

@RestController
class TopicController {
    @GetMapping(value = "/search", produces = MediaType.TEXT_HTML_VALUE)
    String search(@RequestParam String q) {
        // ruleid: xss
        return "<p>Nothing found for " + q + "</p>";
    }

    @GetMapping(value = "/search/safe", produces = MediaType.TEXT_HTML_VALUE)
    String searchSafe(@RequestParam String q) {
        // ok: xss
        return "<p>Nothing found for " + HtmlUtils.htmlEscape(q) + "</p>";
    }

    @GetMapping("/nick")
    ResponseEntity<String> nick(@RequestParam String nick) {
        // ruleid: xss
        return ResponseEntity.ok().contentType(MediaType.TEXT_HTML).body("<b>" + nick + "</b>");
    }

    @GetMapping("/topic")
    String topic(@RequestParam String title, Model model) {
        // ok: xss
        model.addAttribute("title", title);
        return "topic";
    }

    void error(HttpServletRequest req, HttpServletResponse resp) throws IOException {
        String page = req.getRequestURI();
        resp.setContentType("text/html");
        // ruleid: xss
        resp.getOutputStream().print("<h1>" + req.getQueryString() + " not found on " + page + "</h1>");
    }
}

class WelcomeServlet extends HttpServlet {
    @Override
    protected void doGet(HttpServletRequest req, HttpServletResponse resp) throws IOException {
        String nick = req.getHeader("X-Nick");
        if (nick == null) {
            resp.sendRedirect("/login");
            return;
        }
        resp.setContentType("text/html");
        String line = "<p>Welcome back, " + nick + "</p>";
        // ruleid: xss
        resp.getWriter().print(line);
    }

    @Override
    protected void doPost(HttpServletRequest req, HttpServletResponse resp) throws IOException {
        int pages = Integer.parseInt(req.getParameter("pages"));
        // ok: xss
        resp.getWriter().print("<b>" + pages + " pages</b>");
    }
}
