package files;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.UUID;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.apache.commons.io.FilenameUtils;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.multipart.MultipartFile;

@RestController
class FileController {
    private static final Path ROOT = Paths.get("/srv/files");
    // ok: path-traversal
    private static final File LOGO = new File("/srv/static" + File.separator + "logo.png");

    @GetMapping("/file")
    Resource file(HttpServletRequest req) {
        // ruleid: path-traversal
        return new FileSystemResource(new File("/srv/files/" + req.getParameter("name")));
    }

    @GetMapping("/file/safe")
    Resource fileSafe(HttpServletRequest req) {
        // ok: path-traversal
        return new FileSystemResource(new File("/srv/files/" + FilenameUtils.getName(req.getParameter("name"))));
    }

    @GetMapping("/page/{name}")
    byte[] page(@PathVariable String name) throws IOException {
        // ruleid: path-traversal
        return Files.readAllBytes(Paths.get("/srv/pages/" + name));
    }

    @GetMapping("/page/safe/{name}")
    byte[] pageSafe(@PathVariable String name) throws IOException {
        Path wanted = ROOT.resolve(name).normalize();
        if (!wanted.startsWith(ROOT)) {
            throw new IllegalArgumentException("name");
        }
        // ok: path-traversal
        return Files.readAllBytes(wanted);
    }

    @PostMapping("/upload")
    void upload(@RequestParam MultipartFile photo) throws IOException {
        // ruleid: path-traversal
        photo.transferTo(new File("/srv/files/" + photo.getOriginalFilename()));
    }

    @PostMapping("/upload/safe")
    void uploadSafe(@RequestParam MultipartFile photo) throws IOException {
        // ok: path-traversal
        photo.transferTo(new File("/srv/files/" + UUID.randomUUID() + ".jpg"));
    }

    void download(HttpServletRequest req, HttpServletResponse resp) throws IOException {
        String report = req.getParameter("report");
        resp.setContentType("application/pdf");
        // ruleid: path-traversal
        try (FileInputStream in = new FileInputStream("/srv/reports/" + report + ".pdf")) {
            in.transferTo(resp.getOutputStream());
        }
    }

    void delete(HttpServletRequest req) throws IOException {
        String name = req.getParameter("name");
        // ruleid: path-traversal
        Files.deleteIfExists(
            ROOT.resolve(name));
    }

    void unzip(ZipInputStream zip, File dir) throws IOException {
        for (ZipEntry e = zip.getNextEntry(); e != null; e = zip.getNextEntry()) {
            // ruleid: path-traversal
            try (FileOutputStream out = new FileOutputStream(new File(dir, e.getName()))) {
                zip.transferTo(out);
            }
        }
    }

    String license() throws IOException {
        // ok: path-traversal
        return Files.readString(Paths.get("/usr/share/doc/app", "LICENSE"));
    }

    File logo() {
        // new File("/srv/files/" + req.getParameter("name")) was a hole.
        // ok: path-traversal
        return LOGO.exists() ? LOGO : new File("/srv/static", "empty.png");
    }
}

class StyleController {
    String style(HttpServletRequest req) throws IOException {
        String theme = req.getHeader("X-Theme");
        if (theme == null) {
            theme = "light";
        }
        Path folder = Paths.get("/srv/themes", theme);
        // ruleid: path-traversal
        return Files.readString(folder.resolve("style.css"));
    }

    String styleKnown(HttpServletRequest req) throws IOException {
        String theme = "dark".equals(req.getHeader("X-Theme")) ? "dark" : "light";
        // ok: path-traversal
        return Files.readString(Paths.get("/srv/themes", theme, "style.css"));
    }
}
