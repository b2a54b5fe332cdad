// Package pages renders the pages of a forum.
package pages

import (
	"fmt"
	"html"
	"html/template"
	"io"
	"net/http"

	"github.com/gin-gonic/gin"
)

var topic = template.Must(template.New("topic").Parse(`<h1>{{.Title}}</h1><p>{{.Body}}</p>`))

func hello(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	// ruleid: xss
	fmt.Fprintf(w, "<h1>Hello, %s</h1>", r.FormValue("name"))
}

func helloSafe(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	// ok: xss
	fmt.Fprintf(w, "<h1>Hello, %s</h1>", html.EscapeString(r.FormValue("name")))
}

func search(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query().Get("q")
	w.Header().Set("Content-Type", "text/html")
	// ruleid: xss
	w.Write([]byte("<p>No results for " + q + "</p>"))
}

func searchJSON(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	// ok: xss
	fmt.Fprintf(w, "{\"query\": %q, \"results\": []}", r.URL.Query().Get("q"))
}

func show(w http.ResponseWriter, r *http.Request) {
	// ok: xss
	topic.Execute(w, map[string]string{"Title": r.FormValue("title"), "Body": r.FormValue("body")})
}

func showRaw(w http.ResponseWriter, r *http.Request) {
	body := r.FormValue("body")
	topic.Execute(w, map[string]any{
		"Title": r.FormValue("title"),
		// ruleid: xss
		"Body": template.HTML(body),
	})
}

func badge(color string) template.HTML {
	// ok: xss
	return template.HTML("<span class=\"badge\">new</span>")
}

func signature(r *http.Request) template.HTML {
	// ruleid: xss
	return template.HTML("<em>" + r.PostFormValue("signature") + "</em>")
}

func profile(c *gin.Context) {
	nick := c.Query("nick")
	// ruleid: xss
	c.Data(http.StatusOK, "text/html; charset=utf-8", []byte("<h2>"+nick+"</h2>"))
}

func profileText(c *gin.Context) {
	// ok: xss
	c.JSON(http.StatusOK, gin.H{"nick": c.Query("nick")})
}

func onclick(r *http.Request) template.JS {
	// ruleid: xss
	return template.JS("track('" + r.FormValue("campaign") + "')")
}

func footer(w http.ResponseWriter) {
	// ok: xss
	io.WriteString(w, "<footer>Forum, since 2009</footer>")
}

func greeting(w http.ResponseWriter, r *http.Request) {
	cookie, err := r.Cookie("nick")
	if err != nil {
		http.Redirect(w, r, "/login", http.StatusSeeOther)
		return
	}
	nick := cookie.Value
	line := "<p>Welcome back, " + nick + "</p>"
	w.Header().Set("Content-Type", "text/html")
	// ruleid: xss
	io.WriteString(w, line)
}

func greetingSafe(w http.ResponseWriter, r *http.Request) {
	nick := html.EscapeString(r.FormValue("nick"))
	w.Header().Set("Content-Type", "text/html")
	// ok: xss
	fmt.Fprint(w, "<p>Welcome back, "+nick+"</p>")
}
