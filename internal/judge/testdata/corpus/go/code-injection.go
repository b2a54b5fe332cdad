// Package scripting evaluates formulas and scripts of users.
package scripting

import (
	htmpl "html/template"
	"io"
	"net/http"
	"plugin"
	"text/template"

	"github.com/dop251/goja"
	"github.com/gin-gonic/gin"
	"github.com/robertkrimen/otto"
	"github.com/traefik/yaegi/interp"
	lua "github.com/yuin/gopher-lua"
)

const prelude = "function double(x) { return 2 * x }"

func evaluate(w http.ResponseWriter, r *http.Request) {
	vm := goja.New()
	// ok: code-injection
	if _, err := vm.RunString(prelude); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	// ruleid: code-injection
	v, err := vm.RunString(r.FormValue("expression"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	io.WriteString(w, v.String())
}

func double(w http.ResponseWriter, r *http.Request) {
	vm := goja.New()
	vm.Set("input", r.FormValue("n"))
	// ok: code-injection
	v, err := vm.RunString("Number(input) * 2")
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	io.WriteString(w, v.String())
}

func greet(c *gin.Context) {
	body := c.PostForm("template")
	// ruleid: code-injection
	t, err := template.New("mail").Parse(body)
	if err != nil {
		c.AbortWithStatus(http.StatusBadRequest)
		return
	}
	t.Execute(c.Writer, map[string]any{"Context": c})
}

func greetSafe(c *gin.Context) {
	// ok: code-injection
	t := htmpl.Must(htmpl.New("mail").Parse("Hello {{.Name}}, your order is on its way."))
	t.Execute(c.Writer, map[string]any{"Name": c.PostForm("name")})
}

func runOtto(c *gin.Context) {
	vm := otto.New()
	script := c.Query("script")
	// ruleid: code-injection
	if _, err := vm.Run(script); err != nil {
		c.String(http.StatusBadRequest, err.Error())
	}
}

func runGo(w http.ResponseWriter, r *http.Request) {
	i := interp.New(interp.Options{})
	src := r.PostFormValue("source")
	// ruleid: code-injection
	res, err := i.Eval(src)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	io.WriteString(w, res.String())
}

func runLua(w http.ResponseWriter, r *http.Request) {
	l := lua.NewState()
	defer l.Close()
	// ok: code-injection
	if err := l.DoString(`print("ready")`); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	// ruleid: code-injection
	if err := l.DoString("return " + r.URL.Query().Get("f")); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

func loadFilter(w http.ResponseWriter, r *http.Request) {
	// ruleid: code-injection
	p, err := plugin.Open(r.FormValue("plugin"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_, _ = p.Lookup("Filter")
}

func loadBuiltin() (*plugin.Plugin, error) {
	// ok: code-injection
	return plugin.Open("/usr/lib/converter/filters.so")
}
