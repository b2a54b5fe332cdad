// Package tools runs the programs that the converter needs.
package tools

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"

	"github.com/gin-gonic/gin"
)

const diskReport = "df -h | sort -k5 -r | head -n 5"

func Ping(ctx context.Context, host string) ([]byte, error) {
	// ruleid: command-injection
	return exec.CommandContext(ctx, "sh", "-c", "ping -c 1 "+host).CombinedOutput()
}

func PingOnce(ctx context.Context, host string) ([]byte, error) {
	// ok: command-injection
	return exec.CommandContext(ctx, "ping", "-c", "1", "--", host).CombinedOutput()
}

func Disk() ([]byte, error) {
	// ok: command-injection
	return exec.Command("sh", "-c", diskReport).Output()
}

func Thumbnail(src, dst string, width int) error {
	// ruleid: command-injection
	cmd := exec.Command("/bin/bash", "-c",
		fmt.Sprintf("convert %s -resize %d %s", src, width, dst))
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

func ThumbnailSafe(src, dst string, width int) error {
	// ok: command-injection
	cmd := exec.Command("convert", src,
		"-resize", strconv.Itoa(width),
		dst)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

func lookup(w http.ResponseWriter, r *http.Request) {
	domain := r.URL.Query().Get("domain")
	if domain == "" {
		http.Error(w, "domain is required", http.StatusBadRequest)
		return
	}
	var out bytes.Buffer
	// ruleid: command-injection
	cmd := exec.Command("sh", "-c", "dig +short "+domain)
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		// ok: command-injection
		http.Error(w, "exec.Command(\"sh\", \"-c\", \"dig\") failed for "+domain, http.StatusBadGateway)
		return
	}
	w.Write(out.Bytes())
}

func runTask(c *gin.Context) {
	// ruleid: command-injection
	out, err := exec.Command("bash", "-c", c.PostForm("script")).CombinedOutput()
	if err != nil {
		c.String(http.StatusInternalServerError, err.Error())
		return
	}
	c.Data(http.StatusOK, "text/plain", out)
}

func format(c *gin.Context) {
	name := c.Query("tool")
	// ruleid: command-injection
	out, err := exec.Command(name, "--version").Output()
	if err != nil {
		c.AbortWithStatus(http.StatusInternalServerError)
		return
	}
	c.Data(http.StatusOK, "text/plain", out)
}

var versionOf = map[string]string{"go": "/usr/local/go/bin/go", "git": "/usr/bin/git"}

func version(c *gin.Context) {
	path, ok := versionOf[c.Query("tool")]
	if !ok {
		c.AbortWithStatus(http.StatusNotFound)
		return
	}
	// ok: command-injection
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		c.AbortWithStatus(http.StatusInternalServerError)
		return
	}
	c.Data(http.StatusOK, "text/plain", out)
}

func Editor(file string) *exec.Cmd {
	// ok: command-injection
	return exec.Command("git", "log", "--oneline", "-n", "20", "--", file)
}

func Backup(dir string) error {
	// ruleid: command-injection
	return exec.Command("/bin/sh", "-c", "tar czf /var/backups/site.tgz "+dir+" && sync").Run()
}

func grep(w http.ResponseWriter, r *http.Request) {
	pattern := r.URL.Query().Get("pattern")
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil || limit > 100 {
		limit = 100
	}
	line := fmt.Sprintf("grep -rn -m %d %s /srv/docs", limit, pattern)
	// ruleid: command-injection
	out, err := exec.CommandContext(r.Context(), "sh", "-c", line).Output()
	if err != nil {
		http.Error(w, "nothing found", http.StatusNotFound)
		return
	}
	w.Write(out)
}

func tail(w http.ResponseWriter, r *http.Request) {
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil {
		limit = 100
	}
	// ok: command-injection
	out, err := exec.CommandContext(r.Context(), "sh", "-c", "tail -n "+strconv.Itoa(limit)+" /var/log/app.log | sort").Output()
	if err != nil {
		http.Error(w, "no log", http.StatusNotFound)
		return
	}
	w.Write(out)
}
