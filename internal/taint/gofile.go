package taint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// GoFile is a Go file whose constants are known.
type GoFile struct {
	fset *token.FileSet
	file *ast.File
}

// ParseGo returns nil for a text that is not a Go file.
func ParseGo(text string) *GoFile {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	return &GoFile{fset, file}
}

// IsConstant reports whether a value at a line consists of literals and constants:
// also of variables of the function, or of the file, that are nothing else.
func (g *GoFile) IsConstant(value string, line int) bool {
	t := trace{names: make(map[string]bool)}
	t.add(value)
	scope := ast.Node(g.file)
	for _, d := range g.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && g.fset.Position(f.Pos()).Line <= line && line <= g.fset.Position(f.End()).Line {
			scope = f
		}
	}
	c := constants{g.file, scope, make(map[string]bool)}
	for name := range t.names {
		if !c.has(name) {
			return false
		}
	}
	return !t.calls
}

// maxNames bounds the names that a value is made of.
const maxNames = 50

// constants finds out whether names are constant in a function.
type constants struct {
	file  *ast.File
	scope ast.Node // the function, or the file
	seen  map[string]bool
}

// has reports whether all values of a name are constant. One that it has seen is: the
// first that is not ends the search.
func (c *constants) has(name string) bool {
	if c.seen[name] {
		return true
	}
	c.seen[name] = true
	if len(c.seen) > maxNames {
		return false
	}
	known, constant := c.search(name, c.scope)
	if !known {
		known, constant = c.search(name, c.file)
	}
	return known && constant
}

// search reports whether a name has values in a part of the file, and whether all of
// them are constant.
func (c *constants) search(name string, scope ast.Node) (known, constant bool) {
	constant = true
	add := func(left ast.Expr, right func() ast.Expr) {
		if id, ok := left.(*ast.Ident); ok && id.Name == name {
			known = true
			constant = constant && c.isConstant(right())
		}
	}
	never := func() ast.Expr { return nil }
	ast.Inspect(scope, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if scope != ast.Node(n) { // of a file
				constant = constant && !changes(n, name)
				return false
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				add(left, func() ast.Expr {
					if len(n.Rhs) != len(n.Lhs) {
						return nil
					}
					return n.Rhs[i]
				})
			}
		case *ast.ValueSpec:
			for i, left := range n.Names {
				add(left, func() ast.Expr {
					if i >= len(n.Values) {
						return &ast.BasicLit{} // zero, or as the constant before it
					}
					return n.Values[i]
				})
			}
		case *ast.Field: // a parameter
			for _, left := range n.Names {
				add(left, never)
			}
		case *ast.RangeStmt:
			add(n.Key, never)
			add(n.Value, never)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				add(n.X, never)
			}
		}
		return true
	})
	return known, constant
}

// changes reports whether a function assigns to a name that it does not declare, or
// takes its address.
func changes(f *ast.FuncDecl, name string) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		var changed []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				changed = n.Lhs
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				changed = []ast.Expr{n.X}
			}
		}
		for _, e := range changed {
			id, ok := e.(*ast.Ident)
			found = found || ok && id.Name == name
		}
		return !found
	})
	return found
}

func (c *constants) isConstant(e ast.Expr) bool {
	all := func(list []ast.Expr) bool {
		return !slices.ContainsFunc(list, func(e ast.Expr) bool { return !c.isConstant(e) })
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return strings.Contains(words, " "+e.Name+" ") || c.has(e.Name)
	case *ast.ParenExpr:
		return c.isConstant(e.X)
	case *ast.BinaryExpr:
		return c.isConstant(e.X) && c.isConstant(e.Y)
	case *ast.CompositeLit:
		return all(e.Elts)
	case *ast.CallExpr:
		switch fun := e.Fun.(type) {
		case *ast.Ident:
			return fun.Name == "string" && all(e.Args)
		case *ast.SelectorExpr:
			return strings.Contains(formatters, " "+fun.Sel.Name+" ") && all(e.Args)
		}
	}
	return false
}
