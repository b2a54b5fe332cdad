package com.acme.themes;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** Installs themes that users upload. */
public class ThemeInstaller {
    private final Path themes;

    ThemeInstaller(Path themes) {
        this.themes = themes.toAbsolutePath().normalize();
    }

    void install(InputStream upload) throws IOException {
        try (ZipInputStream zip = new ZipInputStream(upload)) {
            for (ZipEntry entry; (entry = zip.getNextEntry()) != null; ) {
                Path target = themes.resolve(entry.getName()).normalize();
                if (!target.startsWith(themes)) {
                    throw new IOException("entry is outside of the theme");
                }
                if (entry.isDirectory()) {
                    Files.createDirectories(target);
                    continue;
                }
                Files.createDirectories(target.getParent());
                Files.copy(zip, target);
            }
        }
    }
}
