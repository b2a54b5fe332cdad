package diff

import (
	"path"
	"slices"
	"strings"
)

// sourceExtensions are those of source code and other text that programs
// interpret, in lower case.
var sourceExtensions = strings.Fields(`
	.ada .adb .ads .asm .awk .bas .bash .bat .bicep .bzl .c .cbl .cc .cfg .cjs .clj .cljs .cls .cmake .cmd .cob .coffee .conf
	.cpp .cr .cs .cshtml .css .csv .cts .cu .cue .cxx .d .dart .dockerfile .ejs .el .elm .erb .erl .ex .exs .f .f90 .fish
	.for .fs .fsx .gd .go .gql .gradle .graphql .groovy .h .haml .hbs .hcl .hh .hpp .hrl .hs .htm .html .hxx .ini .inc .ipynb
	.java .jinja .jl .js .json .jsonc .jsonl .jsp .jsx .kt .kts .less .lisp .lua .m .md .mjs .mk .ml .mli .mm .mod .mts .nim
	.nix .pas .php .phtml .pl .plist .pm .properties .proto .ps1 .psm1 .pug .py .pyi .pyx .r .rake .rb .rego .rs .rst .sass
	.scala .scm .scss .sh .sol .sql .styl .sv .svelte .swift .tcl .tf .thrift .toml .ts .tsx .txt .v .vb .vbs .vhd .vim .vue
	.wat .xaml .xml .xsl .yaml .yml .zig .zsh`)

// sourceNames are the names of such files without an extension, in lower case.
var sourceNames = strings.Fields(`
	brewfile build build.bazel cmakelists.txt containerfile dockerfile gemfile gnumakefile jenkinsfile justfile makefile
	podfile procfile rakefile tiltfile vagrantfile workspace`)

// isBuildFile reports whether tools find a file by its name and may run it.
func isBuildFile(p string) bool { return slices.Contains(sourceNames, strings.ToLower(path.Base(p))) }
