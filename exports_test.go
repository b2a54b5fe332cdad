package scanner_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxUnused bounds the exported names that nothing in this module uses. They are
// promises to other programs, so each should be there for one.
const maxUnused = 60

// TestUnusedExports counts the exported names that no other package and no
// example uses: functions, types, variables, constants and methods. A type is used
// where something that is used has it in its type. Constants of a type that is used
// are left out, and so are methods that implement an interface, and the packages for
// the tests of others.
func TestUnusedExports(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks the module")
	}
	unused := unusedExports(t)
	for _, name := range unused {
		t.Log(name)
	}
	if len(unused) > maxUnused {
		t.Errorf("%d exported names are used by no other package or example, want at most %d: unexport them", len(unused), maxUnused)
	}
}

func unusedExports(t *testing.T) []string {
	t.Helper()
	fset := token.NewFileSet()
	exports := make(map[string]string) // file of export data by import path
	var ours []listedPackage
	for _, p := range listExports(t) {
		exports[p.ImportPath] = p.Export
		if rel, ok := relative(p.ImportPath); ok && rel != "provider/providertest" && rel != "internal/githubtest" && rel != "internal/gitlabtest" && rel != "internal/hosttest" {
			ours = append(ours, p)
		}
	}
	imp := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })

	used := make(map[string]bool)
	defined := make(map[string]types.Object)
	interfaces := make(map[string]bool) // names of methods of interfaces
	for _, name := range []string{"Error", "String", "Is", "As", "Unwrap", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "Read", "Write", "Close", "Open", "ReadDir", "ReadFile", "Stat", "Format"} {
		interfaces[name] = true
	}
	for _, p := range ours {
		check := func(path string, names []string, define bool) {
			var files []*ast.File
			for _, name := range names {
				f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
				if err != nil {
					t.Fatal(err)
				}
				files = append(files, f)
			}
			info := &types.Info{Uses: make(map[*ast.Ident]types.Object), Selections: make(map[*ast.SelectorExpr]*types.Selection)}
			conf := types.Config{Importer: imp}
			pkg, err := conf.Check(path, fset, files, info)
			if err != nil {
				t.Fatal(err)
			}
			for _, obj := range info.Uses {
				if obj.Pkg() != nil && obj.Pkg().Path() != path {
					used[objectName(obj)] = true
					useTypes(obj.Type(), used)
				}
			}
			if define && pkg.Name() != "main" {
				collect(pkg, defined, interfaces)
			}
		}
		check(p.ImportPath, p.GoFiles, true)
		for _, name := range p.XTestGoFiles {
			if name == "example_test.go" {
				check(p.ImportPath+"_test", []string{name}, false)
			}
		}
	}

	var unused []string
	for name, obj := range defined {
		if used[name] {
			continue
		}
		switch obj := obj.(type) {
		case *types.Const:
			if named, ok := obj.Type().(*types.Named); ok && used[objectName(named.Obj())] {
				continue
			}
		case *types.Func:
			if obj.Signature().Recv() != nil && interfaces[obj.Name()] {
				continue
			}
		}
		unused = append(unused, name)
	}
	slices.Sort(unused)
	return unused
}

// collect adds the exported objects of a package, and the names of the methods of
// its interfaces.
func collect(pkg *types.Package, defined map[string]types.Object, interfaces map[string]bool) {
	for _, name := range pkg.Scope().Names() {
		obj := pkg.Scope().Lookup(name)
		if obj.Exported() {
			defined[objectName(obj)] = obj
		}
		typ, ok := obj.Type().(*types.Named)
		if _, isType := obj.(*types.TypeName); !ok || !isType {
			continue
		}
		if i, ok := typ.Underlying().(*types.Interface); ok {
			for m := range i.Methods() {
				interfaces[m.Name()] = true
			}
		}
		for m := range typ.Methods() {
			if m.Exported() && obj.Exported() {
				defined[objectName(m)] = m
			}
		}
	}
}

// useTypes marks the named types in a type, as far as its definition shows them.
func useTypes(t types.Type, used map[string]bool) {
	switch t := t.(type) {
	case *types.Named:
		if t.Obj().Pkg() != nil {
			used[objectName(t.Obj())] = true
		}
	case *types.Signature:
		for v := range t.Params().Variables() {
			useTypes(v.Type(), used)
		}
		for v := range t.Results().Variables() {
			useTypes(v.Type(), used)
		}
	case *types.Map:
		useTypes(t.Key(), used)
		useTypes(t.Elem(), used)
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		useTypes(t.Elem(), used)
	}
}

// objectName returns "package.Name" or "package.Type.Method".
func objectName(obj types.Object) string {
	path, _ := relative(obj.Pkg().Path())
	name := path + "." + obj.Name()
	if f, ok := obj.(*types.Func); ok {
		if recv := f.Signature().Recv(); recv != nil {
			typ := recv.Type()
			if p, ok := typ.(*types.Pointer); ok {
				typ = p.Elem()
			}
			if named, ok := typ.(*types.Named); ok {
				name = path + "." + named.Obj().Name() + "." + obj.Name()
			}
		}
	}
	return name
}

type listedPackage struct {
	ImportPath, Dir, Export string
	GoFiles, XTestGoFiles   []string
}

// listExports returns all packages that those of the module link, compiled.
func listExports(t *testing.T) []listedPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-export", "-deps", "-test=false", "-json=ImportPath,Dir,Export,GoFiles,XTestGoFiles", "./...", "testing/fstest").Output() // which examples import
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var pkgs []listedPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listedPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}
