// Package seed plants known faults into Go files, to measure which of them are found.
package seed

import (
	"bytes"
	"errors"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// Fault is a copy of a file with one fault.
type Fault struct {
	// Kind is inverted-condition, dropped-error, off-by-one, missing-unlock or
	// swapped-arguments.
	Kind string
	// Source has, at the end of the line with the fault, // want "" for package skilltest,
	// which removes it also if that is in a literal.
	Source []byte
}

const comment = ` // want ""`

// Plant returns faults of a Go file, always the same, at most limit of each kind. It looks
// at the syntax of the file alone, so a few leave a variable or an import unused. A file that
// is not formatted as by gofmt has none. The error is about a file that is not Go, or that is
// generated.
func Plant(src []byte, limit int) ([]Fault, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	if ast.IsGenerated(file) {
		return nil, errors.New("the file is generated")
	}
	p := &planter{src: src, offset: fset.File(file.FileStart).Offset, limit: limit, count: make(map[string]int)}
	ast.Inspect(file, p.visit)
	return p.faults, nil
}

type planter struct {
	src    []byte
	offset func(token.Pos) int
	limit  int
	count  map[string]int // by kind
	faults []Fault
}

// add adds the fault that the text from start to end is replaced, unless gofmt would change
// something then. It is in the line of a position that is not after start.
func (p *planter) add(kind string, line, start, end token.Pos, text string) {
	if p.count[kind] == p.limit {
		return
	}
	out := slices.Concat(p.src[:p.offset(start)], []byte(text), p.src[p.offset(end):])
	rest, _, _ := bytes.Cut(out[p.offset(line):], []byte("\n"))
	out = slices.Insert(out, p.offset(line)+len(rest), []byte(comment)...)
	if formatted, err := format.Source(out); err == nil && bytes.Equal(formatted, out) {
		p.count[kind]++
		p.faults = append(p.faults, Fault{kind, out})
	}
}

func (p *planter) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		p.invert(n)
	case *ast.ForStmt:
		p.lengthen(n)
	case *ast.CallExpr:
		p.swap(n)
	case *ast.BlockStmt:
		p.drop(n.List)
	case *ast.CaseClause:
		p.drop(n.Body)
	case *ast.CommClause:
		p.drop(n.Body)
	}
	return true
}

var opposites = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.LSS: token.GEQ, token.GTR: token.LEQ,
	token.NEQ: token.EQL, token.GEQ: token.LSS, token.LEQ: token.GTR,
}

// invert inverts a condition, other than one about an error: any test would find that.
func (p *planter) invert(n *ast.IfStmt) {
	const kind = "inverted-condition"
	switch c := n.Cond.(type) {
	case *ast.BinaryExpr:
		if opposite, ok := opposites[c.Op]; ok && p.checkedError(n) == "" {
			p.add(kind, n.Pos(), c.OpPos, c.OpPos+token.Pos(len(c.Op.String())), opposite.String())
		}
	case *ast.UnaryExpr:
		if c.Op == token.NOT {
			p.add(kind, n.Pos(), c.OpPos, c.X.Pos(), "")
		}
	case *ast.Ident, *ast.SelectorExpr, *ast.CallExpr:
		p.add(kind, n.Pos(), c.Pos(), c.Pos(), "!")
	}
}

var errorCheck = regexp.MustCompile(`^(err\w*|\w*Err) != nil$`)

// checkedError returns the variable of a condition such as err != nil; else nothing.
func (p *planter) checkedError(s ast.Stmt) string {
	if n, ok := s.(*ast.IfStmt); ok {
		if m := errorCheck.FindStringSubmatch(p.text(n.Cond)); m != nil {
			return m[1]
		}
	}
	return ""
}

// lengthen makes a loop over an index one longer.
func (p *planter) lengthen(n *ast.ForStmt) {
	if c, ok := n.Cond.(*ast.BinaryExpr); ok && c.Op == token.LSS {
		for node := range ast.Preorder(n.Body) {
			if x, ok := node.(*ast.IndexExpr); ok && p.text(x.Index) == p.text(c.X) {
				p.add("off-by-one", n.Pos(), c.OpPos, c.OpPos+1, "<=")
				return
			}
		}
	}
}

// swap swaps arguments of a function of the file for adjacent parameters of one type. If
// these have names of one letter, as in max(a, b), or it is a predicate, the order often
// does not matter.
func (p *planter) swap(n *ast.CallExpr) {
	name, ok := n.Fun.(*ast.Ident)
	if !ok || name.Obj == nil {
		return
	}
	decl, ok := name.Obj.Decl.(*ast.FuncDecl)
	if !ok || decl.Type.Results.NumFields() == 1 && p.text(decl.Type.Results.List[0].Type) == "bool" {
		return
	}
	var names, types []string
	for _, field := range decl.Type.Params.List {
		for _, name := range field.Names {
			names, types = append(names, name.Name), append(types, p.text(field.Type))
		}
	}
	for i := 1; i < min(len(names), len(n.Args)); i++ {
		a, b := n.Args[i-1], n.Args[i]
		if types[i-1] == types[i] && len(names[i-1]) > 1 && len(names[i]) > 1 && p.text(a) != p.text(b) {
			p.add("swapped-arguments", a.Pos(), a.Pos(), b.End(), p.text(b)+string(p.src[p.offset(a.End()):p.offset(b.Pos())])+p.text(a))
		}
	}
}

// drop makes the faults that lack a statement of a list.
func (p *planter) drop(list []ast.Stmt) {
	for i, s := range list {
		lock, ok := strings.CutSuffix(strings.TrimPrefix(p.text(s), "defer "), "Unlock()")
		for j := i - 1; ok && j >= 0; j-- {
			if p.text(list[j]) == lock+"Lock()" {
				p.remove("missing-unlock", list[j].Pos(), s)
				break
			}
		}
		if n, ok := s.(*ast.IfStmt); ok && n.Else == nil {
			p.dropError(n, p.checkedError(n), list[:i], list[i+1:])
		}
	}
}

// dropError drops the check of a variable, which is for an error. The variable must still
// be used, so it is one of the if statement, or is set and checked again afterwards.
func (p *planter) dropError(n *ast.IfStmt, name string, before, after []ast.Stmt) {
	const kind = "dropped-error"
	if n.Init != nil {
		if call := p.assigned(n.Init, name); call != nil && p.text(n.Init) == name+" := "+p.text(call) {
			p.add(kind, n.Pos(), n.Pos(), n.End(), p.text(call))
		}
		return
	}
	if len(before) == 0 || p.assigned(before[len(before)-1], name) == nil {
		return
	}
	next := slices.IndexFunc(after, func(s ast.Stmt) bool { return p.mentions(s, name) })
	if next >= 0 && next+1 < len(after) && p.assigned(after[next], name) != nil && p.checkedError(after[next+1]) == name {
		p.remove(kind, before[len(before)-1].Pos(), n)
	}
}

// assigned returns the call whose result a statement assigns to a variable, which is not
// one of its arguments.
func (p *planter) assigned(s ast.Stmt, name string) *ast.CallExpr {
	n, ok := s.(*ast.AssignStmt)
	if !ok || len(n.Rhs) != 1 || p.mentions(n.Rhs[0], name) || !slices.ContainsFunc(n.Lhs, func(x ast.Expr) bool { return p.text(x) == name }) {
		return nil
	}
	call, _ := n.Rhs[0].(*ast.CallExpr)
	return call
}

func (p *planter) mentions(n ast.Node, name string) bool {
	return regexp.MustCompile(`\b` + name + `\b`).MatchString(p.text(n))
}

// remove removes a statement that occupies whole lines.
func (p *planter) remove(kind string, line token.Pos, s ast.Stmt) {
	before := p.src[:p.offset(s.Pos())]
	before = before[bytes.LastIndexByte(before, '\n')+1:]
	after, _, _ := bytes.Cut(p.src[p.offset(s.End()):], []byte("\n"))
	if len(bytes.TrimSpace(before))+len(bytes.TrimSpace(after)) == 0 {
		p.add(kind, line, s.Pos()-token.Pos(len(before)), s.End()+token.Pos(len(after)+1), "")
	}
}

// text returns the source of a node.
func (p *planter) text(n ast.Node) string { return string(p.src[p.offset(n.Pos()):p.offset(n.End())]) }
