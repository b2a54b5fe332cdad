package media.tools;

import jakarta.servlet.http.HttpServletRequest;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import org.apache.commons.exec.CommandLine;
import org.apache.commons.exec.DefaultExecutor;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class ToolController {
    private static final Logger LOG = Logger.getLogger("tools");
    private static final Pattern HOST = Pattern.compile("[a-z0-9.-]+");
    private static final Map<String, String> TOOLS = Map.of("git", "/usr/bin/git", "java", "/usr/bin/java");

    @GetMapping("/ping")
    int ping(@RequestParam String host) throws Exception {
        // ruleid: command-injection
        Process p = Runtime.getRuntime().exec("sh -c 'ping -c 1 " + host + "'");
        return p.waitFor();
    }

    @GetMapping("/ping/safe")
    int pingSafe(@RequestParam String host) throws Exception {
        if (!HOST.matcher(host).matches()) {
            throw new IllegalArgumentException("host");
        }
        // ok: command-injection
        Process p = new ProcessBuilder("ping", "-c", "1", host).inheritIO().start();
        return p.waitFor();
    }

    @PostMapping("/convert")
    void convert(@RequestParam String file) throws IOException {
        // ruleid: command-injection
        new ProcessBuilder("bash", "-c", "ffmpeg -i " + file + " /srv/out.mp4").start();
    }

    @PostMapping("/convert/safe")
    void convertSafe(@RequestParam String file) throws IOException {
        // ok: command-injection
        new ProcessBuilder(
            "ffmpeg", "-i", new File("/srv/in", new File(file).getName()).getPath(),
            "/srv/out.mp4").start();
    }

    InputStream lookup(HttpServletRequest req) throws IOException {
        String domain = req.getParameter("domain");
        if (domain == null) {
            throw new IllegalArgumentException("domain");
        }
        // ruleid: command-injection
        return Runtime.getRuntime().exec(new String[] {"/bin/sh", "-c", "dig +short " + domain}).getInputStream();
    }

    void run(HttpServletRequest req) throws IOException {
        // ruleid: command-injection
        Runtime.getRuntime().exec(req.getParameter("command"));
    }

    InputStream version(HttpServletRequest req) throws IOException {
        String tool = TOOLS.getOrDefault(req.getParameter("tool"), "/usr/bin/git");
        // ok: command-injection
        return Runtime.getRuntime().exec(new String[] {tool, "--version"}).getInputStream();
    }

    void sync() throws IOException {
        // ok: command-injection
        Runtime.getRuntime().exec("/usr/bin/rsync -a /srv/media/ /mnt/backup/");
    }

    void later(ExecutorService pool, Runnable job) {
        // ok: command-injection
        pool.execute(job);
    }

    void archive(HttpServletRequest req) throws IOException {
        String dir = req.getParameter("dir");
        List<String> command = List.of(
            "sh",
            "-c",
            // ruleid: command-injection
            "tar czf /tmp/a.tgz " + dir);
        new ProcessBuilder(command).start();
    }

    int commons(HttpServletRequest req) throws IOException {
        // ruleid: command-injection
        CommandLine line = CommandLine.parse("gs -o /srv/out.pdf " + req.getParameter("input"));
        return new DefaultExecutor().execute(line);
    }

    void report(String host, int code) {
        // ok: command-injection
        LOG.warning("Runtime.getRuntime().exec(\"ping " + host + "\") ended with " + code);
    }
}

class GrepController {
    Process grep(HttpServletRequest req) throws IOException {
        String pattern = req.getParameter("pattern");
        int limit = Math.min(Integer.parseInt(req.getParameter("limit")), 100);
        String line = "grep -rn -m " + limit + " " + pattern + " /srv/docs";
        // ruleid: command-injection
        return new ProcessBuilder("sh", "-c", line).start();
    }

    Process tail(HttpServletRequest req) throws IOException {
        int limit = Integer.parseInt(req.getParameter("limit"));
        // ok: command-injection
        return Runtime.getRuntime().exec("tail -n " + limit + " /var/log/app.log");
    }
}
