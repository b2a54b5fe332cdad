package taint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// GoFile is a Go file whose constants are known. It is safe for concurrent use.
type GoFile struct {
	fset  *token.FileSet
	funcs []*ast.FuncDecl
	// values are what is assigned to a name in a function, or nil for the constants of
	// the file; nil among them is what is not known.
	values map[*ast.FuncDecl]map[string][]ast.Expr
}

// ParseGo returns nil for a text that is not a Go file.
func ParseGo(text string) *GoFile {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	g := &GoFile{fset: fset, values: map[*ast.FuncDecl]map[string][]ast.Expr{nil: {}}}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			g.funcs = append(g.funcs, d)
			g.values[d] = make(map[string][]ast.Expr)
			g.collect(d, d)
		case *ast.GenDecl:
			if d.Tok == token.CONST {
				g.collect(nil, d)
			}
		}
	}
	return g
}

// collect adds the values of the names below a node.
func (g *GoFile) collect(f *ast.FuncDecl, below ast.Node) {
	add := func(name, value ast.Expr) {
		for {
			switch n := name.(type) {
			case *ast.SelectorExpr:
				name = n.X // a part of it is changed
			case *ast.IndexExpr:
				name = n.X
			case *ast.Ident:
				g.values[f][n.Name] = append(g.values[f][n.Name], value)
				return
			default:
				return
			}
		}
	}
	ast.Inspect(below, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, name := range n.Lhs {
				if i < len(n.Rhs) { // of several results the first is the value
					add(name, n.Rhs[i])
				} else {
					add(name, nil)
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if i < len(n.Values) {
					add(name, n.Values[i])
				} else {
					add(name, &ast.BasicLit{}) // zero, or as the constant before it
				}
			}
		case *ast.Field: // a parameter
			for _, name := range n.Names {
				add(name, nil)
			}
		case *ast.RangeStmt:
			add(n.Key, nil)
			add(n.Value, nil)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				add(n.X, nil)
			}
		}
		return true
	})
}

// IsConstant reports whether a value at a line consists of literals and constants,
// also of variables of the function that are nothing else.
func (g *GoFile) IsConstant(value string, line int) bool {
	var in *ast.FuncDecl
	for _, f := range g.funcs {
		if g.fset.Position(f.Pos()).Line <= line && line <= g.fset.Position(f.End()).Line {
			in = f
		}
	}
	t := trace{names: make(map[string]bool)}
	t.add(clean(value))
	seen := make(map[string]bool)
	for name := range t.names {
		if !g.isConstant(&ast.Ident{Name: name}, in, seen) {
			return false
		}
	}
	return !t.calls
}

// isConstant reports whether an expression in a function is constant. A name that was
// seen is: the first that is not ends the search.
func (g *GoFile) isConstant(e ast.Expr, in *ast.FuncDecl, seen map[string]bool) bool {
	all := func(list []ast.Expr) bool {
		return !slices.ContainsFunc(list, func(e ast.Expr) bool { return !g.isConstant(e, in, seen) })
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		if seen[e.Name] || strings.Contains(words, " "+e.Name+" ") {
			return true
		}
		seen[e.Name] = true
		values := g.values[in][e.Name]
		if values == nil {
			values = g.values[nil][e.Name]
		}
		return values != nil && all(values)
	case *ast.ParenExpr:
		return all([]ast.Expr{e.X})
	case *ast.BinaryExpr:
		return all([]ast.Expr{e.X, e.Y})
	case *ast.CompositeLit:
		return all(e.Elts)
	case *ast.CallExpr:
		switch fun := e.Fun.(type) {
		case *ast.Ident:
			return fun.Name == "string" && all(e.Args)
		case *ast.SelectorExpr:
			pkg, _ := fun.X.(*ast.Ident)
			return pkg != nil && patterns().call.MatchString(pkg.Name+"."+fun.Sel.Name+"()") || strings.Contains(formatters, " "+fun.Sel.Name+" ") && all(e.Args)
		}
	}
	return false
}
