package syntax

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// Language is what begins and ends the literals and comments of a family of
// languages. It is immutable.
type Language struct {
	name string
	// names are extensions, without a dot, and names of files after a slash, all in
	// lower case.
	names string
	// plain is what is neither literal nor comment: code, or text.
	plain Kind
	// literals are in order of precedence.
	literals []literal
	// chars is set if a character literal is one character in single quotes, so
	// that other single quotes mean nothing.
	chars bool
	// regexps is set if there are regular expressions between slashes.
	regexps bool
	// apostrophes is set if text may have them, as "don't" in the elements of JSX.
	apostrophes bool
	// escapes is set if a backslash in code takes the meaning from the byte after it.
	escapes bool
	// heredoc is the operator before the name that ends a document, heredocBlank is set
	// if blanks may be between them, and shift if the operator is also a shift.
	heredoc      string
	heredocBlank bool
	shift        bool
	// switches are texts in code after which another language begins.
	switches []change
	// outer names the language at the beginning of a file, if it is another one.
	outer string

	special [256]bool // bytes at which code may end
}

type change struct{ open, to string }

// literal is a kind of literals or comments.
type literal struct {
	kind Kind
	// open and close surround it. Without close it ends with the line, or with the
	// file if it is multi.
	open, close string
	// escape takes the meaning from the byte after it; that may be the quote itself.
	escape byte
	// multi is set if it may have several lines.
	multi bool
	// nested is set if it may contain its like.
	nested bool
	// interp opens interpolated code, up to the bracket that closes its last byte.
	interp string
	// after lists the bytes of which one must be before it in a line.
	after string
	// not lists the bytes that must not follow open.
	not string
	// then follows open after any number of fill bytes (0 means letters and digits).
	// The end is then close, the same bytes, and tail.
	then string
	fill byte
	tail string
}

// blank are the bytes before a word, letters those of the name of a block.
const (
	blank   = " \t;(|&"
	letters = "abcdefghijklmnopqrstuvwxyz"
)

var (
	double = literal{open: `"`, close: `"`, escape: '\\'}
	single = literal{open: "'", close: "'", escape: '\\'}
	back   = long(literal{open: "`", close: "`"})
	ticks  = literal{open: "`", close: "`", escape: '\\'}

	triple       = long(literal{open: `"""`, close: `"""`, escape: '\\'})
	tripleSingle = long(literal{open: "'''", close: "'''", escape: '\\'})
	tripleRaw    = long(literal{open: `"""`, close: `"""`, interp: "${"})

	slashes  = literal{open: "//", kind: Comment}
	block    = long(literal{open: "/*", close: "*/", kind: Comment})
	nested   = literal{open: "/*", close: "*/", kind: Comment, multi: true, nested: true}
	hash     = literal{open: "#", kind: Comment}
	hashWord = literal{open: "#", kind: Comment, after: blank}
	dashes   = literal{open: "--", kind: Comment}
	semi     = literal{open: ";", kind: Comment}
	markup   = long(literal{open: "<!--", close: "-->", kind: Comment})
	parens   = literal{open: "(*", close: "*)", kind: Comment, multi: true, nested: true}
)

// long returns l with several lines.
func long(l literal) literal {
	l.multi = true
	return l
}

// quoted returns literals that end at a quote that is not doubled.
func quoted(quotes string, multi bool) []literal {
	var out []literal
	for _, q := range strings.Split(quotes, "") {
		out = append(out, literal{open: q, close: q, escape: q[0], multi: multi})
	}
	return out
}

// interp returns l with interpolated code.
func interp(l literal, open string) literal {
	l.interp = open
	return l
}

// markupComments are the comments of pages and templates.
var markupComments = []literal{
	markup, long(literal{open: "{#", close: "#}", kind: Comment, after: " \t>}", not: letters}), long(literal{open: "{{!--", close: "--}}", kind: Comment}),
	long(literal{open: "{{/*", close: "*/}}", kind: Comment}), long(literal{open: "<%--", close: "--%>", kind: Comment}),
	long(literal{open: "<%#", close: "%>", kind: Comment}), long(literal{open: "{{--", close: "--}}", kind: Comment}), long(literal{open: "@*", close: "*@", kind: Comment}),
}

var (
	scripts = []literal{block, slashes, double, single, long(interp(ticks, "${"))}
	ruby    = []literal{
		{open: "=begin", close: "=end", kind: Comment, multi: true, after: "\n"}, {open: "__END__", kind: Comment, multi: true, after: "\n"},
		hashWord, interp(double, "#{"), single, interp(ticks, "#{"),
		{open: "%r{", close: "}", escape: '\\'}, {open: "%w[", close: "]"}, {open: "%w(", close: ")"}, {open: "%q(", close: ")"}, interp(literal{open: "%Q(", close: ")"}, "#{"),
		interp(literal{open: "%x(", close: ")"}, "#{"), interp(literal{open: "%x{", close: "}"}, "#{"),
	}
	phpCode = []literal{
		block, slashes, {open: "#", kind: Comment, not: "["}, long(double), long(single), back,
	}
	java = []literal{block, slashes, triple, double}
)

// languages returns the table. A language is used for the files among its names;
// one without names is part of others.
func languages() []Language {
	return []Language{
		{name: "js", names: "js jsx ts tsx mjs cjs mts cts dart", literals: scripts, regexps: true, apostrophes: true},
		{name: "go", names: "go", literals: []literal{block, slashes, double, back}, chars: true},
		{name: "java", names: "java proto sol zig v thrift", literals: java, chars: true},
		{name: "kotlin", names: "kt kts scala sc", literals: []literal{nested, slashes, tripleRaw, interp(double, "${")}, chars: true},
		{name: "groovy", names: "groovy gradle cls trigger apex /jenkinsfile", literals: []literal{block, slashes, interp(triple, "${"), tripleSingle, double, single}},
		{name: "c", names: "c h cc cpp cxx c++ hh hpp hxx inl ino m mm cu glsl hlsl", chars: true, literals: []literal{
			block, slashes, {open: `R"`, then: "(", close: ")", tail: `"`, multi: true}, double,
		}},
		{name: "cs", names: "cs csx", chars: true, literals: []literal{
			block, slashes, long(literal{open: `"""`, close: `"""`}), {open: `@"`, close: `"`, escape: '"', multi: true},
			{open: `@$"`, close: `"`, escape: '"', multi: true}, {open: `$@"`, close: `"`, escape: '"', multi: true}, double,
		}},
		{name: "rust", names: "rs", chars: true, literals: []literal{
			nested, slashes, {open: "r", fill: '#', then: `"`, close: `"`, multi: true}, {open: "br", fill: '#', then: `"`, close: `"`, multi: true}, long(double),
		}},
		{name: "swift", names: "swift", literals: []literal{nested, slashes, {open: "#", fill: '#', then: `"`, close: `"`, tail: "#", multi: true}, triple, double}},
		{name: "css", names: "css", literals: []literal{block, double, single}},
		{name: "scss", names: "scss sass less styl", literals: []literal{block, slashes, double, single}},
		{name: "json", names: "json json5 jsonc webmanifest", literals: []literal{block, slashes, double}},
		{name: "hcl", names: "tf tfvars hcl nomad", literals: []literal{block, slashes, hash, double}, heredoc: "<<"},

		{name: "python", names: "py pyi pyw pyx bzl star /sconstruct /wscript", literals: []literal{triple, tripleSingle, hash, double, single}},
		{name: "toml", names: "toml", literals: []literal{triple, tripleSingle, hash, double, {open: "'", close: "'"}}},
		{name: "elixir", names: "ex exs", literals: []literal{interp(triple, "#{"), tripleSingle, hash, interp(double, "#{")}},
		{name: "julia", names: "jl", literals: []literal{{open: "#=", close: "=#", kind: Comment, multi: true, nested: true}, hash, triple, double}, chars: true},
		{name: "ruby", names: "rb rake gemspec ru podspec /rakefile /gemfile /vagrantfile /podfile /brewfile", literals: ruby, regexps: true, heredoc: "<<", shift: true},
		{name: "perl", names: "pl pm t", regexps: true, heredoc: "<<", shift: true, literals: []literal{
			{open: "=", close: "=cut", kind: Comment, multi: true, after: "\n", not: " \t\"'$@%&\\([{<>~=0123456789"}, {open: "__END__", kind: Comment, multi: true, after: "\n"}, hashWord, double, single,
		}},
		{name: "shell", names: "sh bash zsh ksh fish bats bashrc zshrc profile bash_profile envrc", escapes: true, heredoc: "<<", heredocBlank: true, literals: []literal{
			hashWord, long(interp(double, "$(")), {open: "'", close: "'", multi: true}, {open: "$'", close: "'", escape: '\\', multi: true},
		}},
		{name: "powershell", names: "ps1 psm1 psd1", literals: []literal{
			long(literal{open: "<#", close: "#>", kind: Comment}), hash, long(literal{open: `@"`, close: `"@`}), long(literal{open: "@'", close: "'@"}),
			{open: `"`, close: `"`, escape: '`', multi: true}, {open: "'", close: "'", multi: true},
		}},
		{name: "yaml", names: "yml yaml", literals: []literal{
			{open: "#", kind: Comment, after: " \t"}, {open: `"`, close: `"`, escape: '\\', after: " \t[{,:("}, {open: "'", close: "'", escape: '\'', after: " \t[{,:("},
		}},
		{name: "hash", names: "conf cfg /dockerfile /containerfile /makefile mk gitignore dockerignore cmake /cmakelists.txt properties env htaccess editorconfig awk sed tcl nix r graphql gql prisma", literals: []literal{
			{open: "#", kind: Comment, after: " \t"},
		}},
		{name: "ini", names: "ini inf reg npmrc gitconfig", literals: []literal{{open: "#", kind: Comment, after: " \t"}, {open: ";", kind: Comment, after: " \t"}}},

		{name: "php", names: "php phtml php3 php4 php5 php7 phps inc module theme ctp", literals: phpCode, heredoc: "<<<", heredocBlank: true, outer: "php-page", switches: []change{{"?>", "php-page"}}},
		{name: "php-page", plain: Text, literals: []literal{markup}, switches: []change{{"<?php", "php"}, {"<?=", "php"}, {"<? ", "php"}}},
		{name: "html", names: "html htm xhtml vue svelte astro hbs handlebars mustache j2 jinja jinja2 twig tmpl gohtml tpl njk liquid cshtml razor", literals: markupComments,
			switches: []change{{"<script", "html-js"}, {"<style", "html-css"}}},
		{name: "html-js", literals: scripts, regexps: true, switches: []change{{"</script", "html"}}},
		{name: "html-css", literals: []literal{block, double, single}, switches: []change{{"</style", "html"}}},
		{name: "erb", names: "erb rhtml", literals: markupComments, switches: []change{{"<%", "erb-code"}}},
		{name: "erb-code", literals: ruby, regexps: true, switches: []change{{"%>", "erb"}}},
		{name: "jsp", names: "jsp jspx aspx ascx ejs", literals: markupComments, switches: []change{{"<%", "jsp-code"}}},
		{name: "jsp-code", literals: scripts, switches: []change{{"%>", "jsp"}}},
		{name: "xml", names: "xml xsd xsl xslt svg xaml plist csproj props targets config resx pom", literals: []literal{markup}},

		{name: "sql", names: "sql ddl dml psql pgsql mysql plsql pks pkb", literals: append(quoted("'\"`", true), dashes, block)},
		{name: "lua", names: "lua luau", literals: []literal{
			{open: "--[", fill: '=', then: "[", close: "]", tail: "]", kind: Comment, multi: true}, dashes,
			{open: "[", fill: '=', then: "[", close: "]", tail: "]", multi: true}, double, single,
		}},
		{name: "haskell", names: "hs lhs elm purs", literals: []literal{{open: "{-", close: "-}", kind: Comment, multi: true, nested: true}, dashes, double}, chars: true},
		{name: "ada", names: "adb ads vhd vhdl", literals: append(quoted(`"`, false), dashes), chars: true},
		{name: "ml", names: "ml mli", literals: []literal{parens, double}, chars: true},
		{name: "fsharp", names: "fs fsx fsi", literals: []literal{parens, slashes, triple, double}, chars: true},
		{name: "pascal", names: "pas dpr pp", literals: append(quoted("'", false), slashes, parens, long(literal{open: "{", close: "}", kind: Comment}))},
		{name: "basic", names: "vb vbs bas frm", literals: append(quoted(`"`, false), literal{open: "'", kind: Comment})},
		{name: "lisp", names: "lisp cl el clj cljs cljc edn scm rkt", escapes: true, literals: []literal{semi, long(double)}},
		{name: "erlang", names: "erl hrl tex sty m4", literals: []literal{{open: "%", kind: Comment}, double}},
	}
}

type index struct {
	languages []Language
	byName    map[string]uint8 // of languages
	byFile    map[string]*Language
}

var table = sync.OnceValue(func() *index {
	t := &index{languages: languages(), byName: make(map[string]uint8), byFile: make(map[string]*Language)}
	for i := range t.languages {
		l := &t.languages[i]
		t.byName[l.name] = uint8(i)
		for name := range strings.FieldsSeq(l.names) {
			t.byFile[name] = l
		}
		l.literals = slices.Clone(l.literals)
		mark := func(s string) {
			l.special[strings.ToLower(s)[0]], l.special[strings.ToUpper(s)[0]] = true, true
		}
		for k := range l.literals {
			lit := &l.literals[k]
			lit.kind = max(lit.kind, String)
			l.special[lit.open[0]] = true
			if lit.interp != "" {
				for _, b := range "(){}" {
					l.special[b] = true
				}
			}
		}
		for _, s := range l.switches {
			mark(s.open)
		}
		l.special['\''] = l.special['\''] || l.chars
		l.special['/'] = l.special['/'] || l.regexps
		l.special['<'] = l.special['<'] || l.heredoc != ""
		l.special['\\'] = l.escapes
	}
	return t
})

// For returns the language of a file by its name; nil if it is not known.
func For(file string) *Language {
	base := strings.ToLower(path.Base(file))
	if l := table().byFile["/"+base]; l != nil {
		return l
	}
	if ext := path.Ext(base); ext != "" && table().byFile[ext[1:]] != nil {
		return table().byFile[ext[1:]]
	}
	if strings.HasPrefix(base, ".env.") {
		return table().byFile["env"]
	}
	name, _, _ := strings.Cut(base, ".") // Dockerfile.dev
	return table().byFile["/"+name]
}
