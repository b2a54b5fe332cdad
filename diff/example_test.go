package diff_test

import (
	"fmt"
	"testing/fstest"

	"github.com/codescan-dev/scanner/diff"
)

const patch = `diff --git a/hello.go b/hello.go
index 1b2c3d4..5e6f7a8 100644
--- a/hello.go
+++ b/hello.go
@@ -5 +5 @@ func main() {
-	println("helo")
+	println("hello")
diff --git a/go.sum b/go.sum
new file mode 100644
index 0000000..9f8e7d6
--- /dev/null
+++ b/go.sum
@@ -0,0 +1 @@
+example.com/x v1.0.0 h1:abc=
`

func Example() {
	files, err := diff.Parse([]byte(patch))
	if err != nil {
		fmt.Println(err)
		return
	}
	tree := fstest.MapFS{"hello.go": {Data: []byte("package main\n\n// Says hello.\nfunc main() {\n\tprintln(\"hello\")\n}\n")}}
	chunking := diff.Chunking{ContextLines: 1}
	for _, f := range files {
		plan := chunking.Plan(f, tree)
		if plan.Skip != nil {
			fmt.Printf("%c %s: skipped: %s %s\n", f.Status.Marker(), f.Path, plan.Skip.Reason, plan.Skip.Pattern)
			continue
		}
		for _, c := range plan.Chunks {
			text, err := c.Text()
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Printf("%c %s:%d-%d\n", f.Status.Marker(), c.Path, c.StartLine, c.EndLine)
			for l := range text.NewSide() {
				fmt.Printf("%c %d %q\n", l.Op, l.New, l.Text)
			}
		}
	}
	// Output:
	// ~ hello.go:5-5
	//   4 "func main() {"
	// + 5 "\tprintln(\"hello\")"
	//   6 "}"
	// + go.sum: skipped: builtin go.sum
}

func ExampleMatch() {
	fmt.Println(diff.Match("*.lock", "web/yarn.lock"))
	fmt.Println(diff.Match("docs/*.md", "docs/a/b.md"))
	fmt.Println(diff.Match("docs/**/*.md", "docs/a/b.md"))
	fmt.Println(diff.Match("vendor", "app/vendor/x/y.go"))
	// Output:
	// true
	// false
	// true
	// true
}
