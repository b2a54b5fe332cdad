package review

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

const z = zwsp

// hostile are texts that try to do something in a comment.
var hostile = []struct {
	name, in, title, prose string
}{
	{"plain", "Query is built from user input", "Query is built from user input", "Query is built from user input"},
	{"html", `<script>alert("x")</script> & 'y'`, `&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt; &amp; &#39;y&#39;`, `&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt; &amp; &#39;y&#39;`},
	{"image tag", `<img src=//evil/x.png>`, `&lt;img src=//evil/x.png&gt;`, `&lt;img src=//evil/x.png&gt;`},
	{"image", `![x](//evil/x.png)`, `!&#91;x&#93;(//evil/x.png)`, `!&#91;x&#93;(//evil/x.png)`},
	{"link", `[safe](javascript:x)`, `&#91;safe&#93;(javascript:x)`, `&#91;safe&#93;(javascript:x)`},
	{"reference", "[a][b]\n[b]: //evil", `&#91;a&#93;&#91;b&#93; &#91;b&#93;: &#47;/evil`, "&#91;a&#93;&#91;b&#93;\n&#91;b&#93;: &#47;/evil"},
	{"reference without a space", "[b]://evil", "&#91;b&#93;:" + z + "//evil", "&#91;b&#93;:" + z + "//evil"},
	{"task", "- [ ] a\n1. [x] b", "- &#91; &#93; a 1. &#91;x&#93; b", "- &#91; &#93; a\n1. &#91;x&#93; b"},
	{"footnote", "[^1]\n\n[^1]: x", "&#91;^1&#93; &#91;^1&#93;: x", "&#91;^1&#93;\n\n&#91;^1&#93;: x"},
	{"mention", "ask @alice and @org/team", "ask @" + z + "alice and @" + z + "org/team", "ask @" + z + "alice and @" + z + "org/team"},
	{"mention behind an entity", "&#64;alice &commat;bob", "&amp;#" + z + "64;alice &amp;commat;bob", "&amp;#" + z + "64;alice &amp;commat;bob"},
	{"mention with invisible help", "@\u200balice \u2066@bob", "@" + z + "alice @" + z + "bob", "@" + z + "alice @" + z + "bob"},
	{"issue", "see #12, GH-12, o/r#3", "see #" + z + "12, GH-" + z + "12, o/r#" + z + "3", "see #" + z + "12, GH-" + z + "12, o/r#" + z + "3"},
	{"references of other hosts", "see !12, %3 and ~4 of 5%", "see !" + z + "12, %" + z + "3 and &#126;" + z + "4 of 5%", "see !" + z + "12, %" + z + "3 and ~" + z + "4 of 5%"},
	{"references with letters", `~bug %"v 1" &4 $5 GL-6 100% ~/x a && b`, "&#126;" + z + "bug %" + z + "&#34;v 1&#34; &amp;" + z + "4 &#36;" + z + "5 GL-" + z + "6 100% &#126;/x a &amp;&amp; b", "~" + z + "bug %" + z + "&#34;v 1&#34; &amp;" + z + "4 &#36;" + z + "5 GL-" + z + "6 100% ~/x a &amp;&amp; b"},
	{"references in brackets", "[issue:1] [[wiki]] [work_item:2] a[i]", "&#91;" + z + "issue:1&#93; &#91;" + z + "&#91;wiki&#93;&#93; &#91;" + z + "work&#95;item:2&#93; a&#91;i&#93;", "&#91;" + z + "issue:1&#93; &#91;" + z + "&#91;wiki&#93;&#93; &#91;" + z + "work_item:2&#93; a&#91;i&#93;"},
	{"fence in a list", "- ~~~~js\n- x", "- &#126;&#126;&#126;&#126;" + z + "js - x", "- &#126;&#126;&#126;~" + z + "js\n- x"},
	{"closing words", "closes #1, fixes o/r#2, resolves https://github.com/o/r/issues/3", "closes #" + z + "1, fixes o/r#" + z + "2, resolves <code>https&#58;&#47;&#47;github&#46;com&#47;o&#47;r&#47;issues&#47;3</code>", "closes #" + z + "1, fixes o/r#" + z + "2, resolves <code>https&#58;&#47;&#47;github&#46;com&#47;o&#47;r&#47;issues&#47;3</code>"},
	{"address", "https://evil.test www.evil.test a@b.test", "<code>https&#58;&#47;&#47;evil&#46;test</code> <code>www&#46;evil&#46;test</code> <code>a&#64;b&#46;test</code>", "<code>https&#58;&#47;&#47;evil&#46;test</code> <code>www&#46;evil&#46;test</code> <code>a&#64;b&#46;test</code>"},
	{"address behind an underscore", "_www.evil.test _1a2b3c4d", "&#95;<code>www&#46;evil&#46;test</code> &#95;1a2b3c4d", "_<code>www&#46;evil&#46;test</code> _1a2b3c4d"},
	{"address in a sentence", "See (https://a.test/x_(y)?q=1&r=@me#3), or https://b.test/. Ftp://c.test!", `See (<code>https&#58;&#47;&#47;a&#46;test&#47;x&#95;&#40;y&#41;&#63;q&#61;1&#38;r&#61;&#64;me&#35;3</code>), or <code>https&#58;&#47;&#47;b&#46;test&#47;</code>. <code>Ftp&#58;&#47;&#47;c&#46;test</code>!`, `See (<code>https&#58;&#47;&#47;a&#46;test&#47;x&#95;&#40;y&#41;&#63;q&#61;1&#38;r&#61;&#64;me&#35;3</code>), or <code>https&#58;&#47;&#47;b&#46;test&#47;</code>. <code>Ftp&#58;&#47;&#47;c&#46;test</code>!`},
	{"address in Markdown", "[x](https://a.test) <https://a.test>", `&#91;x&#93;(<code>https&#58;&#47;&#47;a&#46;test</code>) &lt;<code>https&#58;&#47;&#47;a&#46;test</code>&gt;`, `&#91;x&#93;(<code>https&#58;&#47;&#47;a&#46;test</code>) &lt;<code>https&#58;&#47;&#47;a&#46;test</code>&gt;`},
	{"address in code and after it", "`https://a.test`https://b.test`x`", "`https://a.test`<code>https&#58;&#47;&#47;b&#46;test</code>`x`", "`https://a.test`<code>https&#58;&#47;&#47;b&#46;test</code>`x`"},
	{"address of nothing", "see :// and www. and é://x or 1http://a.test", "see :" + z + "// and www" + z + ". and é:" + z + "//x or 1<code>http&#58;&#47;&#47;a&#46;test</code>", "see :" + z + "// and www" + z + ". and é:" + z + "//x or 1<code>http&#58;&#47;&#47;a&#46;test</code>"},
	{"bold breakout", "a** b __c__ snake_case", "a&#42;&#42; b &#95;&#95;c&#95;&#95; snake&#95;case", "a** b __c__ snake_case"},
	{"escapes", `a\* \` + "`", "a&#92;&#42; &#92;&#96;", "a&#92;* &#92;&#96;"},
	{"marker", "<!-- scanner:finding e30= -->", "&lt;!-- scanner:finding e30= --&gt;", "&lt;!-- scanner:finding e30= --&gt;"},
	{"marker at the end", "x\n<!-- scanner:finding e30= -->\n", "x &lt;!-- scanner:finding e30= --&gt;", "x\n&lt;!-- scanner:finding e30= --&gt;"},
	{"open comment", "x <!-- y", "x &lt;!-- y", "x &lt;!-- y"},
	{"code", "use `a < b` or `x`", "use <code>a &#60; b</code> or `x`", "use <code>a &#60; b</code> or `x`"},
	{"mention in code", "the `@Override` here", "the <code>&#64;Override</code> here", "the <code>&#64;Override</code> here"},
	{"unbalanced ticks", "a `` b ` c", "a &#96;&#96; b &#96; c", "a &#96;&#96; b &#96; c"},
	{"fence", "x\n```\n<b>@alice</b>\n```\ny", "x <code>&#60;b&#62;&#64;alice&#60;&#47;b&#62;</code> y", "x\n<pre><code>&lt;b&gt;@alice&lt;/b&gt;</code></pre>\ny"},
	{"commands in a fence", "```\n/approve\n  @dependabot merge\n// a /x /y @b\n```", "<code>&#47;approve &#64;dependabot merge &#47;&#47; a &#47;x &#47;y &#64;b</code>",
		"<pre><code>/" + z + "approve\n  @" + z + "dependabot merge\n// a /" + z + "x /" + z + "y @b</code></pre>"},
	{"commands within lines of a fence", "```\nx = 1; /approve\nx (@dependabot merge) me@b c\n@@a b\n/a/b /a.b /é @param(x) @a/b c\n```",
		"<code>x &#61; 1&#59; &#47;approve x &#40;&#64;dependabot merge&#41; me&#64;b c &#64;&#64;a b &#47;a&#47;b &#47;a&#46;b &#47;é &#64;param&#40;x&#41; &#64;a&#47;b c</code>",
		"<pre><code>x = 1; /" + z + "approve\nx (@" + z + "dependabot merge) me@b c\n@@" + z + "a b\n/a/b /a.b /" + z + "é @param(x) @a/b c</code></pre>"},
	{"open fence", "x\n~~~~js\na</pre><img>", "x &#126;&#126;&#126;&#126;" + z + "js a&lt;/pre&gt;&lt;img&gt;", "x\n<pre><code>a&lt;/pre&gt;&lt;img&gt;</code></pre>"},
	{"fence in a fence", "````\n```\nx\n````", "<code>&#96;&#96;&#96; x</code>", "<pre><code>```\nx</code></pre>"},
	{"suggestion", "```suggestion\nevil()\n```", "`suggestion evil()`", "<pre><code>evil()</code></pre>"},
	{"heading", "# Big\ntext\n===\n---", "&#35; Big text === ---", "&#35; Big\ntext\n&#61;==\n&#45;--"},
	{"indented code", "a\n\n\t\t<b>", "a &lt;b&gt;", "a\n\n  &lt;b&gt;"},
	{"command", "/approve\n/lgtm", "&#47;approve &#47;lgtm", "&#47;approve\n&#47;lgtm"},
	{"command behind wide space", "\u2003/approve\n\u00a0 /lgtm", "&#47;approve &#47;lgtm", "&#47;approve\n   &#47;lgtm"},
	{"table", "|a|b|\n|-|-|", "&#124;a&#124;b&#124; &#124;-&#124;-&#124;", "|a|b|\n|-|-|"},
	{"math", "$\\color{red}$", "&#36;&#92;color{red}&#36;", "&#36;&#92;color{red}&#36;"},
	{"control", "a\x00\x1b[31mb\u202ec\u2028d\r\ne\xff", "abc d e\uFFFD", "abc\nd\ne\uFFFD"},
	{"details", "</details><summary>", "&lt;/details&gt;&lt;summary&gt;", "&lt;/details&gt;&lt;summary&gt;"},
	{"empty", " \n\t", "", ""},
}

func TestHostileText(t *testing.T) {
	for _, tt := range hostile {
		t.Run(tt.name, func(t *testing.T) {
			if got := titleText(tt.in); got != tt.title {
				t.Errorf("title\n got %q\nwant %q", got, tt.title)
			}
			if got := proseText(tt.in, 1000); got != tt.prose {
				t.Errorf("prose\n got %q\nwant %q", got, tt.prose)
			}
		})
	}
}

var (
	ownTags   = regexp.MustCompile(`</?(?:code|pre)>`)
	codeHTML  = regexp.MustCompile(`(?s)<pre><code>.*?</code></pre>|<code>[^\n]*?</code>`)
	tickSpans = regexp.MustCompile("(`+)[^`\n]([^\n]*?[^`\n])??(`+)")
	tricks    = []*regexp.Regexp{
		regexp.MustCompile(`@[^` + zwsp + `]|@$`), regexp.MustCompile(`#[0-9]`), regexp.MustCompile(`(?i)gh-[0-9]`),
		regexp.MustCompile(`://`), regexp.MustCompile(`(?m)(^|\s)\[[ xX]\]`), regexp.MustCompile(`(?i)www\.`), regexp.MustCompile(`!\[|\]\(|\]\[|\]:|\[\^`),
		regexp.MustCompile(`[<>"'\\$]`), regexp.MustCompile("(?m)^[ \t]*(```|~~~|# |/|    )"), regexp.MustCompile("`"),
	}
	entity = regexp.MustCompile(`&(?:#\d+|amp|lt|gt);`)
	// references are those of GitLab, https://docs.gitlab.com/user/markdown/#gitlab-specific-references,
	// in the text of the HTML.
	references = regexp.MustCompile(`@\pL|[#!$&]\d|[%~][\pL\d_"]|\[(?:\[|\pL\w*:)|(?i:G[HL]-\d)`)
)

// checkHarmless looks for anything with a meaning in rendered text.
func checkHarmless(t *testing.T, in, got string) {
	t.Helper()
	if !utf8.ValidString(got) {
		t.Fatalf("%q: not UTF-8: %q", in, got)
	}
	if rest := ownTags.ReplaceAllString(got, ""); strings.ContainsAny(rest, "<>") {
		t.Fatalf("%q: tags in %q", in, got)
	}
	text := codeHTML.ReplaceAllString(got, "C")
	text = tickSpans.ReplaceAllStringFunc(text, func(s string) string {
		open := len(s) - len(strings.TrimLeft(s, "`"))
		if closing := len(s) - len(strings.TrimRight(s, "`")); open == closing {
			return "C"
		}
		return s
	})
	if m := references.FindString(html.UnescapeString(text)); m != "" {
		t.Fatalf("%q: reference %q in %q", in, m, got)
	}
	text = entity.ReplaceAllString(text, "E")
	for _, re := range tricks {
		if m := re.FindString(text); m != "" {
			t.Fatalf("%q: %q in %q", in, m, got)
		}
	}
	if strings.Contains(text, "&") {
		t.Fatalf("%q: a bare & in %q", in, got)
	}
}

func FuzzText(f *testing.F) {
	for _, tt := range hostile {
		f.Add(tt.in)
	}
	f.Fuzz(func(t *testing.T, s string) {
		title := titleText(s)
		if strings.ContainsAny(title, "\n*[]|") && !strings.Contains(title, "`") {
			t.Fatalf("title %q", title)
		}
		checkHarmless(t, s, title)
		for _, limit := range []int{200, 5000} {
			prose := proseText(s, limit)
			if len(prose) > limit {
				t.Fatalf("%d bytes for a limit of %d", len(prose), limit)
			}
			checkHarmless(t, s, prose)
		}
	})
}

// TestHostileComments puts the hostile texts everywhere a text can come from.
func TestHostileComments(t *testing.T) {
	texts := []string{strings.Repeat("<!-- @alice ![x](y) ", 6000), strings.Repeat("`", 100_000), strings.Repeat("<", 100_000), strings.Repeat("\n```\n", 20_000)}
	for _, tt := range hostile {
		texts = append(texts, tt.in)
	}
	for i, text := range texts {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			a, b := found(text, "app/db.go", 13, 16), found(text, "", 0, 0)
			a.Description, b.Description = text+"\n", text
			a.Verification = text
			a.AdditionalLocations = append(a.AdditionalLocations, found("", text+"x", 1, 2).AdditionalLocations...)
			a.AdditionalLocations = append(a.AdditionalLocations, *found("", text+"x", 1, 2).Location)
			skill := oneLine(text, 90) + "skill"
			r := resultOf(t, skillOf(skill, a, b))
			r.Notes = []string{text}
			r.PolicyFiles = []string{text}
			r.Skills[0].Report.SkippedFiles = append(r.Skills[0].Report.SkippedFiles, skippedOf(text))
			out := render(t, r)
			c := out.Comments[0]
			for name, body := range map[string]string{"comment": c.Body, "summary": out.Summary, "check": out.Checks[0].Summary} {
				if n := len([]rune(body)); n > 65536 {
					t.Errorf("%s: %d characters", name, n)
				}
			}
			var m findingMarker
			if !readMarker(c.Body, markerFinding, &m) || m.Path != "app/db.go" || m.Skill != skill {
				t.Errorf("marker %+v", m)
			}
			if n := strings.Count(c.Body, "<!--"); n != 1 {
				t.Errorf("%d comments of HTML in\n%s", n, c.Body[:min(len(c.Body), 2000)])
			}
			if n := strings.Count(out.Summary, "<!--"); n != 3 {
				t.Errorf("%d comments of HTML in\n%s", n, out.Summary[:min(len(out.Summary), 2000)])
			}
			if s := readSections(out.Summary); len(s) != 1 {
				t.Errorf("%d sections", len(s))
			}
			job, err := JobSummary(r)
			if n := strings.Count(job, "<!--"); n > 0 || err != nil || len(job) > 1<<20 {
				t.Errorf("job summary: %d comments of HTML in %d bytes, %v", n, len(job), err)
			}
		})
	}
}
