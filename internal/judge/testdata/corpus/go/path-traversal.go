// Package files serves uploads and reports.
package files

import (
	"archive/zip"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/gin-gonic/gin"
	"github.com/gorilla/mux"
)

const uploads = "/srv/app/uploads"

func download(w http.ResponseWriter, r *http.Request) {
	// ruleid: path-traversal
	http.ServeFile(w, r, filepath.Join(uploads, r.URL.Query().Get("file")))
}

func logo(w http.ResponseWriter, r *http.Request) {
	// ok: path-traversal
	http.ServeFile(w, r, filepath.Join(uploads, "static", "logo.svg"))
}

func report(w http.ResponseWriter, r *http.Request) {
	name := r.FormValue("name")
	if name == "" {
		http.NotFound(w, r)
		return
	}
	// ruleid: path-traversal
	data, err := os.ReadFile(uploads + "/reports/" + name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Write(data)
}

func reportSafe(w http.ResponseWriter, r *http.Request) {
	name := filepath.Base(r.FormValue("name"))
	// ok: path-traversal
	data, err := os.ReadFile(filepath.Join(uploads, "reports", name))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Write(data)
}

func avatar(c *gin.Context) {
	// ruleid: path-traversal
	c.File("/srv/app/avatars/" + c.Param("name"))
}

func avatarSafe(c *gin.Context) {
	// ok: path-traversal
	c.File("/srv/app/avatars/" + filepath.Base(c.Param("name")))
}

func page(w http.ResponseWriter, r *http.Request) {
	lang := mux.Vars(r)["lang"]
	// ruleid: path-traversal
	f, err := os.Open(filepath.Join("/srv/app/pages", lang, "index.html"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	io.Copy(w, f)
}

func pageLocal(w http.ResponseWriter, r *http.Request) {
	name := mux.Vars(r)["page"]
	if !filepath.IsLocal(name) {
		http.NotFound(w, r)
		return
	}
	// ok: path-traversal
	f, err := os.Open(filepath.Join("/srv/app/pages", name))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	io.Copy(w, f)
}

func remove(c *gin.Context) {
	victim := c.PostForm("file")
	// ruleid: path-traversal
	if err := os.Remove(uploads + "/" + victim); err != nil {
		c.AbortWithStatus(http.StatusNotFound)
	}
}

func upload(c *gin.Context) {
	h, err := c.FormFile("file")
	if err != nil {
		c.AbortWithStatus(http.StatusBadRequest)
		return
	}
	// ok: path-traversal
	if err := c.SaveUploadedFile(h, filepath.Join(uploads, filepath.Base(h.Filename))); err != nil {
		c.AbortWithStatus(http.StatusInternalServerError)
	}
}

func unzip(archive string, dir string) error {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer z.Close()
	for _, f := range z.File {
		// ruleid: path-traversal
		out, err := os.Create(filepath.Join(dir, f.Name))
		if err != nil {
			return err
		}
		out.Close()
	}
	return nil
}

func settings() ([]byte, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, errors.New("no home directory")
	}
	// ok: path-traversal
	return os.ReadFile(filepath.Join(home, ".config", "app", "settings.toml"))
}

func preview(w http.ResponseWriter, r *http.Request) {
	theme := r.Header.Get("X-Theme")
	if theme == "" {
		theme = "light"
	}
	w.Header().Set("Cache-Control", "max-age=60")
	file := filepath.Join("/srv/app/themes", theme)
	// ruleid: path-traversal
	css, err := os.ReadFile(file + "/style.css")
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Write(css)
}

func previewKnown(w http.ResponseWriter, r *http.Request) {
	theme := "light"
	if r.Header.Get("X-Theme") == "dark" {
		theme = "dark"
	}
	// ok: path-traversal
	css, err := os.ReadFile(filepath.Join("/srv/app/themes", theme, "style.css"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Write(css)
}
