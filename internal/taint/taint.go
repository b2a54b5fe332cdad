// Package taint estimates where a value in a piece of code comes from: from outside
// of the program, as what a request holds, or from its own text.
//
// It reads the lines above the value, and knows assignments, the headers of functions
// and the usual names of what comes from outside in many languages. That is a guess,
// not a proof: it follows neither calls nor branches.
package taint

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Origin is where a value comes from.
type Origin int

// The origins. A harmless value consists of literals and constants, or went through
// a conversion after which it cannot do damage. A value that was built is put together
// from a literal and something of which the origin is unknown.
const (
	Unknown Origin = iota
	Built
	Outside
	Local // of the user of the program: the command line, the environment, its input
	Harmless
)

// expressions are compiled on first use.
type expressions struct {
	source, local, fill, pointer, route, assign, quoted, second, call, index, cleaned, converted, header, method, control, listed, block, literal, template, inner, member, built, ident, loop, answer, lookup *regexp.Regexp
}

var patterns = sync.OnceValue(func() *expressions {
	re := regexp.MustCompile
	return &expressions{
		// source matches what others send: requests, messages, addresses of pages.
		source: re(strings.Join([]string{
			`\b(?:req|request|Request|ctx\.request|context\.Request|this\.request|self\.request)(?:\(\))?\.(?:query|body|params|param|headers?|cookies?|args|form|files?|values|json|data|GET|POST|FILES|META|COOKIES|` +
				`get_json|get_data|getlist|query_params|path_params|query_string|url|originalUrl|hostname|path|rawBody|match_info|matchdict|` +
				`Query|QueryString|Form|PostForm|FormValue|PostFormValue|PathValue|Params|Headers?|Cookies?|Body|URL|Host|RequestURI|MultipartForm|UserAgent|Referer|Path|RawUrl|InputStream|Unvalidated)\b`,
			`\br\.(?:FormValue|PostFormValue|PathValue|URL|Form|PostForm|Header|Body|Cookie|MultipartForm|Host|RequestURI|UserAgent|Referer)\b`,
			`\bc(?:tx)?\.(?:Query|QueryParam|QueryParams|DefaultQuery|Param|Params|PostForm|DefaultPostForm|FormValue|GetHeader|GetRawData|Body|Cookies?|query|params|bodyParser)\b`,
			`\bctx\.(?:query|params|cookies|headers)\b|\bmux\.Vars\(|\bchi\.URLParam\(`,
			`\$_(?:GET|POST|REQUEST|COOKIE|FILES|SERVER)\b|php://input|\bfilter_input\(|\$request->(?:input|get|query|all|post|header|cookie|getQueryParams|getParsedBody|request->get)\b`,
			`(?:^|[^.\w])params\s*(?:\[|\.(?:require|permit|fetch|dig|to_unsafe))|\bcookies\[|\brequest\.(?:raw_post|referer|user_agent|env|fullpath|query_parameters)\b`,
			`\.(?:getParameter|getParameterValues|getParameterMap|getHeader|getHeaders|getQueryString|getCookies|getPathInfo|getRequestURI|getRequestURL|getPart|getInputStream|getReader|getRemoteHost)\(`,
			`@(?:RequestParam|PathVariable|RequestBody|RequestHeader|CookieValue|ModelAttribute|QueryParam|PathParam|FormParam|HeaderParam|CookieParam|MatrixVariable|Body|Query|Param)\b|\[From(?:Query|Body|Route|Form|Header)\b`,
			`\b(?:location|window\.location|document\.location)\.(?:hash|search|href|pathname)\b|\bdocument\.(?:cookie|referrer|URL|documentURI)\b|\bwindow\.name\b|\bsearchParams\.get\(|\b(?:event|evt|e|msg|message)\.data\b`,
			`\bevent\.(?:queryStringParameters|pathParameters|body|headers)\b|\bevent\[["'](?:queryStringParameters|pathParameters|body|headers)|\bcall\.(?:parameters|receive)`,
			`\.recv(?:from)?\(|\bparam\(["']`,
		}, "|")),
		// local matches what comes from the user of the program.
		local: re(`\bprocess\.(?:argv|env|stdin)\b|\bsys\.(?:argv|stdin)\b|\bos\.(?:environ|getenv|Args|Getenv|LookupEnv|Stdin)\b|\bgetenv\(|\bargv\s*\[|\bargs\s*\[|\bSystem\.(?:getenv|in)\b|\benv::(?:args|var)\b|\$argv\b|\bSTDIN\b|\bCommandLine\b|\bGetEnvironmentVariable\(|\bGetCommandLineArgs\(|` +
			`\bARGV\b|\bENV\[|\bENV\.fetch|\b[Ff]lag\.(?:Args?|String)\b|(?:^|[^\w.])(?:raw_)?input\(|\bConsole\.ReadLine\(|\breadLine\(\)|\$ARGV\[`),
		// fill matches calls that write what they read into an argument.
		fill:    re(`\b(?:fgets|gets|scanf|fscanf|recv|recvfrom|fread|getline)\s*\((.*)`),
		pointer: re(`&(\w+)`),
		route:   re(`^\s*[@\[].*[<{:](\w+)`),
		// call matches functions that convert or escape their argument, converted does an
		// operand with a cast or such a method, and cleaned all of an expression.
		call: re(`\b(?:\w+(?:\.|::|->))*(?:(?:Atoi|ParseInt|ParseUint|ParseBool|ParseFloat|parseInt|parseFloat|Number|intval|floatval|toInt|ToInt32|ToInt64|int|float|bool|len|(?:Integer|Long|UUID|Double|int|long)\.(?:parse\w*|Parse|TryParse|valueOf|fromString)|` +
			`(?:\w*[^\Wn])?[eE]scape\w*|esc_\w+|url_for|valid\w*|safe_\w+|isset|empty|xss|FilenameUtils\.getName|[qQ]uote\w*|Tempfile\.\w+|render_template|render_to_string|url_from|sanitize\w*|html_?specialchars|htmlentities|HtmlEncode|encodeURIComponent|EscapeString|QueryEscape|HTMLEscapeString|secure_filename|basename|GetFileName|(?:file)?path\.Base|encodeFor\w+|prepare|sql\.(?:SQL|Identifier|Literal)|md5|sha1|sha256)\s*\(|[sS]printf\(\s*"(?:[^"%]|%[-+ #0-9.]*[cdftxX])*"\s*,)[^()]*(?:\([^()]*\)[^()]*)*\)?`),
		cleaned: re(`^\s*(?:[\w.]+\(\s*)?[$f]?["'` + "`" + `]https?://[\w.:-]+/|\.replace\(/[^/]*\\\.\\\.`),
		converted: re(`\$_FILES(?:\[[^\]]*\])?\[["']tmp_name["']\]|\$_SERVER\[["'](?:SCRIPT_\w+|DOCUMENT_ROOT|REMOTE_\w+|SERVER_\w+|REQUEST_METHOD|REQUEST_TIME\w*|HTTPS)["']\]|` +
			`(?:\[From\w+[^\]]*\]|@\w+(?:\([^)]*\))?)\s*(?:final\s+)?(?:Guid|UUID|DateTime|Integer|Long|int|long|double|decimal|[bB]ool(?:ean)?)\??\s+\w+|` +
			`[@$\w]+(?:\.?\w+|::\w+|\[[^\[\]]*\]|\([^()]*\))*\.(?:to_i|to_f|shellescape|sanitized|intValue|longValue)\b|` +
			`"(?:[^"%]|%\d*[dfixX])*%\d*[dfixX](?:[^"%]|%\d*[dfixX])*"\s*%|\(\s*(?:int|integer|float|double|long|bool|boolean)\s*\)\s*(?:[$\w]\w*(?:(?:->|\.|::)\w+|\[[^\[\]]*\]|\([^()]*\))*|\((?:[^()]|\([^()]*\))*\))|` +
			`\bfilter_var\((?:[^()]|\([^()]*\))*,\s*FILTER_VALIDATE_(?:INT|FLOAT|BOOL|IP|MAC)\w*[^()]*\)`),
		// answer matches calls that return what a database holds, not their argument.
		answer: re(`\b(?:mysqli?|pg|sqlsrv|oci|odbc|sqlite)_(?:query|execute|prepare|fetch)\w*\(|\bfetch(?:_\w+|one|all|many|All|Column|Object|Assoc|Array)\(|\b(?:execute|executeQuery|QueryRow|QueryContext|QueryRowContext)\(|` +
			`\b(?:[gG]et|[fF]ind|[lL]oad|[fF]etch|[lL]ookup)\w*By\w*(?:<\w+>)?\(|\.(?:First|Single)(?:OrDefault)?\(|` +
			`\b[A-Z]\w*\.find(?:_by)?[\s(]|(?:[^t]|[^s]t)->query\(|\b(?:\w*[dD]b|\w*[cC]onn(?:ection)?|pool|client|knex|cursor|tx)\.[qQ]uery\(`),
		// lookup matches calls that return what their argument names.
		lookup: re(`\b(?:[gG]et|[fF]ind|[fF]etch|[lL]oad|[lL]ookup|[rR]esolve)_?\w+(?:<\w+>)?\([^()]*(?:\([^()]*\)[^()]*)*\)`),
		header: re(`^\s*(?:(?:export|default|async|public|private|protected|internal|static|final|abstract|override|virtual|inline|pub(?:\([^)]*\))?|unsafe|const|suspend|open)\s+)*` +
			`(?:(?:def|function\*?|fn|fun|sub)\s+[\w$]|(?:class|module|interface|trait|impl|struct)\s+\w)|^func\s+(?:\([^)]*\)\s*)?\w`),
		method:  re(`^\s*(?:[\w<>\[\],.?*&:~$]+\s+)*[\w*&:~$]+\s*\([^;=]*\{\s*$`),
		control: re(`^[\s}]*(?:if|for|while|switch|catch|with|else|return|foreach|using|lock|function|elif|unless|until|match|when|try|do|await|new|throw)\b|=>\s*\{\s*$|\bfunction\s*\(|\bfunc\s*\(`),
		// listed matches the test whether a list has a value.
		listed: re(`\b(\w+) not in\b|(?:\bin_array\s*\(|\.(?:includes|[cC]ontains(?:Key)?|has|include\?)[\s(])\s*[$@]?(\w+)`),
		// literal matches a literal with its prefix, as in f"...".
		literal: re(`(?:\b[a-zA-Z]{1,2})?(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|` + "`[^`]*`"),
		// built matches a literal that something is put together with, or put into.
		built: re(`["'` + "`" + `]\s*\)?\s*(?:\+|%|\.\s*\$|\.format\(|\.formatted\(|\.concat\(|\.append\()\s*\w?|[\w)\]]\s*\+\s*["'` + "`" + `]|[\w)\]]\s+\.\s+["']|` +
			`\b(?:[sS]printf|[fF]ormat|[cC]oncat)\(\s*\$?@?["'` + "`" + `]|[$fs]["'][^"']*\{[^"']*["']|["'` + "`" + `][^"'` + "`" + `]*[#$]\{?\w`),
		// index matches what only selects an element, also one of a constant.
		index: re(`([\w\])])\[\s*[\p{L}_$@][^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]|\b([A-Z][A-Z\d_]+)\.(?:get|getOrDefault|fetch|dig)\([^()]*(?:\([^()]*\)[^()]*)*\)`),
		// template matches a literal whose names are those of the arguments.
		template: re(`(?:"[^"]*"|'[^']*')\.format\(`),
		inner:    re(`\{([^{}]*)\}|\$(\w+)|\$\(([^()]*)\)`),
		second:   re(`,\s*(?:_|err|ok)\b`),
		ident:    re(`[\p{L}_][\p{L}\p{N}_]*`),
		quoted:   re(`"(?:[^"\\]|\\.)*(?:"|$)|'(?:[^'\\]|\\.)*(?:'|$)|` + "`[^`]*(?:`|$)"),
		assign:   re("^([^=]*[^=!<>(])=([^=~>].*)$"),
		// member matches the members of something other than the object itself.
		member: re(`(^|[^fs]|[^l]f|[^i]s)(?:(?:\.|->|::)\w+)+`),
		block:  re(`\|[^|]*\|\s*$`),
		loop:   re(`^\s*for(?:each)?\b|\bdo\s*\|[^|]*\|\s*$|\{\s*\|[^|]*\|`),
	}
})

// clean returns an expression without what is converted or escaped in it, and a call
// for what a database answers.
func clean(expr string) string {
	p := patterns()
	if p.cleaned.MatchString(expr) {
		return ""
	}
	if p.answer.MatchString(expr) {
		return "answer()"
	}
	return p.converted.ReplaceAllString(p.call.ReplaceAllString(p.index.ReplaceAllString(expr, "$1$2[]"), ""), "")
}

// IsSource reports whether an expression is itself from outside.
func IsSource(expr string) bool { return originOf(expr) != Unknown }

// originOf returns the origin of an expression by the sources in it.
func originOf(expr string) Origin {
	switch p := patterns(); {
	case p.source.MatchString(expr):
		return Outside
	case p.local.MatchString(expr):
		return Local
	}
	return Unknown
}

// Of returns the origin of a value. The lines are the code above it in their order,
// and last the line that it is in, up to the value.
func Of(value string, lines []string) Origin {
	p := patterns()
	value = clean(value)
	if origin := originOf(value); origin != Unknown {
		return origin
	}
	t := trace{names: make(map[string]bool)}
	t.add(value)
	lines, header := enclosing(lines)
	given := make(map[string]bool) // names that get their value in some cases
	for i := len(lines) - 1; i >= 0 && len(t.names) > 0; i-- {
		line := lines[i]
		if text := strings.TrimSpace(line); i < header && !strings.HasPrefix(text, "@") && !strings.HasPrefix(text, "[") {
			break // above the function, and no annotation of it
		}
		if !t.mentioned(line) {
			continue
		}
		if origin := t.filled(line, i <= header); origin != Unknown {
			return origin
		}
		if i <= header { // what is left may be a parameter
			for _, name := range p.ident.FindAllString(line, -1) {
				delete(given, name)
			}
			continue
		}
		if p.loop.MatchString(line) {
			t.add(clean(line))
			for _, name := range p.ident.FindAllString(p.block.FindString(line), -1) {
				delete(t.names, name)
			}
		}
		if m := p.listed.FindStringSubmatch(line); m != nil {
			delete(t.names, m[1]+m[2])
		}
		left, right, replaces := assignment(line)
		if !t.mentioned(p.member.ReplaceAllString(left, "$1")) {
			continue
		}
		right = clean(right)
		if origin := originOf(right); origin != Unknown {
			return origin
		}
		if replaces {
			always := indentation(line) <= indentation(lines[len(lines)-1]) && !p.control.MatchString(line) ||
				p.listed.MatchString(lines[max(i-1, 0)]+line) // what is left is one of a list
			for _, name := range p.ident.FindAllString(left, -1) {
				if always {
					delete(t.names, name)
				} else {
					given[name] = true
				}
			}
		}
		t.add(right)
	}
	unknown := Unknown
	if t.built {
		unknown = Built
	}
	if t.calls {
		return unknown
	}
	for name := range t.names {
		if !given[name] && (len(name) == 1 || name != strings.ToUpper(name)) { // not named as a constant
			return unknown
		}
	}
	return Harmless
}

// trace is the search for the origin of a value, upwards.
type trace struct {
	names map[string]bool // of which it is made
	calls bool            // it is also made of what functions return
	built bool            // it has a literal that something is put together with
}

// Words that are not names of values, and functions that only put their arguments
// together.
const (
	words      = " true false null nil None undefined True False NULL this self new fmt strings await return not and or in is if else let const var my do err "
	formatters = " format Format Sprintf Sprint sprintf join concat str String strip trim Trim TrimSpace encode decode "
)

// add adds the names in an expression: in code, and in the interpolated code of its
// literals.
func (t *trace) add(expr string) {
	p := patterns()
	t.built = t.built || p.built.MatchString(expr)
	expr = p.literal.ReplaceAllStringFunc(p.template.ReplaceAllString(expr, ".format("), func(literal string) string {
		var names []string
		for _, m := range p.inner.FindAllStringSubmatch(literal, -1) {
			if literal[0] == '\'' {
				m[2] = "" // only double quotes let $name in
			}
			names = append(names, m[1:]...)
		}
		return " " + strings.Join(names, " ") + " "
	})
	if p.lookup.MatchString(expr) {
		t.calls, expr = true, p.lookup.ReplaceAllString(expr, "")
	}
	for _, at := range p.ident.FindAllStringIndex(expr, -1) {
		name, before, after := expr[at[0]:at[1]], expr[:at[0]], strings.TrimLeft(expr[at[1]:], " ")
		isMember := strings.HasSuffix(before, ".") || strings.HasSuffix(before, "->") || strings.HasSuffix(before, "::")
		ofSelf := strings.HasSuffix(before, "self.") || strings.HasSuffix(before, "this.") || strings.HasSuffix(before, "this->")
		switch {
		case strings.Contains(words, " "+name+" "):
		case strings.HasPrefix(after, "=") && !strings.HasPrefix(after, "=="): // of an argument
		case strings.HasPrefix(after, "("):
			t.calls = t.calls || !strings.Contains(formatters, " "+name+" ")
		case !isMember || ofSelf:
			t.names[name] = true
		}
	}
}

func (t *trace) mentioned(text string) bool {
	return slices.ContainsFunc(patterns().ident.FindAllString(text, -1), func(name string) bool { return t.names[name] })
}

// filled returns the origin of what a line gives to one of the names without an
// assignment: as an argument or the variable of a loop, or at the beginning of a
// function as a parameter.
func (t *trace) filled(line string, isHeader bool) Origin {
	p := patterns()
	if m := p.fill.FindStringSubmatch(line); m != nil && t.mentioned(m[1]) {
		return Local
	}
	if isHeader {
		line = p.converted.ReplaceAllString(line, "")
		source := p.source.FindStringIndex(line)
		m := p.route.FindStringSubmatch(line)
		if source != nil && t.mentioned(line[source[0]:]) || m != nil && t.mentioned(m[1]) {
			return Outside
		}
		return Unknown
	}
	if pointer := p.pointer.FindStringSubmatch(line); p.loop.MatchString(line) || pointer != nil && t.mentioned(pointer[1]) {
		return originOf(clean(line))
	}
	return Unknown
}

// enclosing returns the lines without those of functions that end above the last line,
// and the index of the header of the function that it is in; -1 if that is not known.
func enclosing(lines []string) ([]string, int) {
	p := patterns()
	lines = slices.Clone(lines)
	header := -1
	for h := 0; h < len(lines); h++ {
		isMethod := h+1 < len(lines) && p.method.MatchString(lines[h]) && !p.control.MatchString(lines[h])
		if !isMethod && !p.header.MatchString(lines[h]) {
			continue
		}
		last, ended := h, false
		for last+1 < len(lines) && !ended {
			text := strings.TrimSpace(lines[last+1])
			deeper := indentation(lines[last+1]) - indentation(lines[h])
			if text != "" && deeper <= 0 && (deeper < 0 || strings.IndexByte("{})", text[0]) < 0) {
				break
			}
			ended = text != "" && deeper == 0 && text[0] == '}'
			last++
		}
		if !ended && last+1 == len(lines) {
			header = h
			continue
		}
		clear(lines[h : last+1])
		h = last
	}
	return lines, header
}

// indentation returns the bytes of white space before a line.
func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// assignment returns the sides of the first assignment in a line, and whether the
// variable on the left is replaced, not extended or changed in a part.
func assignment(line string) (left, right string, replaces bool) {
	p := patterns()
	masked := p.quoted.ReplaceAllStringFunc(line, func(s string) string { return strings.Repeat("_", len(s)) })
	at := p.assign.FindStringSubmatchIndex(masked)
	if at == nil {
		return "", "", false
	}
	left, right = masked[:at[3]], line[at[3]+1:]
	if i := strings.LastIndexAny(left, "()"); i >= 0 && left[i] == '(' { // the argument of a call
		left = left[i+1:]
		left = left[strings.LastIndexByte(left, ',')+1:]
	}
	return left, right, !strings.ContainsAny(p.second.ReplaceAllString(left, ""), ".[>,") && strings.IndexByte("+-*/|&%?^", left[len(left)-1]) < 0
}
