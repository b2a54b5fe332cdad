package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/project"
	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/providertest"
)

var update = flag.Bool("update", false, "rewrite the goldens of scripts, and the examples and tables in docs")

// costChange is a change with a number of new lines: some in files that exist, in
// places of ten lines, the others in new files.
type costChange struct {
	lines   string
	edited  int // files of 400 lines with four changed places each
	added   int // new files
	methods int // of a new file; each has 20 lines
}

var costChanges = []costChange{{"50", 1, 1, 0}, {"500", 8, 1, 8}, {"5,000", 50, 10, 14}}

// costNouns name the methods, so that no two of them are the same.
var costNouns = []string{"Order", "Invoice", "Refund", "Payment", "Address", "Session", "Voucher", "Parcel", "Message", "Contract", "Discount", "Delivery", "Customer", "Warehouse", "Subscription", "Notification", "Reservation", "Statement", "Transfer", "Category"}

// costFile returns a file of a service with methods of 20 lines. In those that edited
// accepts, ten lines are new.
func costFile(n, methods int, edited func(method int) bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// Package part%d keeps the %ss of the shop.\npackage part%d\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\t\"strings\"\n)\n\n", n, strings.ToLower(costNouns[n%len(costNouns)]), n)
	for m := range methods {
		name, next := costName(n, m), costName((n*7+m+1)%8, (m*3+n)%20)
		fmt.Fprintf(&b, `// %[1]s returns what the customer has open since the last visit, newest first.
func (s *Store) %[1]s(ctx context.Context, customer string, limit int) ([]Row, error) {
	if limit <= 0 || limit > %[3]d {
		return nil, fmt.Errorf("limit is %%d; want 1 to %[3]d", limit)
	}
	rows, err := s.db.QueryContext(ctx, "SELECT id, total FROM %[2]s WHERE customer = ?", customer)
	if err != nil {
		return nil, fmt.Errorf("listing %[2]s of %%q: %%w", customer, err)
	}
	defer rows.Close()
	var list []Row
`, name, strings.ToLower(name), 100+n+m)
		if edited(m) {
			fmt.Fprintf(&b, `	total, err := s.%[1]s(ctx, strings.TrimSpace(customer), limit-1)
	if err != nil {
		return nil, fmt.Errorf("counting %[2]s: %%w", err)
	}
	for _, row := range total {
		if row.Total < %[3]d {
			continue // too small to be shown
		}
		list = append(list, row)
	}
`, next, strings.ToLower(next), n*m)
		}
		b.WriteString(`	for rows.Next() {
		var row Row
		if err := rows.Scan(&row.ID, &row.Total); err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, rows.Err()
}

`)
	}
	return b.String()
}

func costName(file, method int) string {
	return fmt.Sprintf("Open%s%s%d", costNouns[method%len(costNouns)], costNouns[file%len(costNouns)], file/len(costNouns))
}

// files returns the files of a repository before or after a change.
func (c costChange) files(after bool) map[string]string {
	files := make(map[string]string)
	old := max(c.edited, 8)
	for i := range old {
		files[fmt.Sprintf("shop/part%d/store.go", i)] = costFile(i, 20, func(m int) bool { return after && i < c.edited && (m+i)%5 == 2 })
	}
	for i := range c.added {
		if !after {
			break
		}
		n := old + i
		text := costFile(n, c.methods, func(int) bool { return false })
		if c.methods == 0 {
			text += "// Row is a line of a list.\ntype Row struct {\n"
			for _, noun := range costNouns[:3] {
				text += fmt.Sprintf("\t%s string\n", noun)
			}
			text += "}\n"
		}
		files[fmt.Sprintf("shop/part%d/store.go", n)] = text
	}
	return files
}

// meter counts what a server gets.
type meter struct {
	requests, bytes, tokens int
	// The parts of a first request.
	system, tools, schema, user int
}

// costServer answers without findings. If the model calls tools, it looks up the
// method that a chunk calls, or defines, and reads it.
type costServer struct {
	callsTools bool
	mu         sync.Mutex
	meter
}

var (
	calledMethod  = regexp.MustCompile(`s\.(Open\w+)\(`)
	definedMethod = regexp.MustCompile(`\) (Open\w+)\(`)
)

func (s *costServer) reply(r providertest.Request) (providertest.Rule, bool) {
	var body struct {
		Messages []json.RawMessage
		Tools    []struct {
			Function struct {
				Name, Description string
				Parameters        json.RawMessage
			}
		}
		ResponseFormat struct {
			JSONSchema struct{ Schema json.RawMessage } `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return providertest.Rule{Status: 400, Message: err.Error()}, true
	}
	m := meter{requests: 1, schema: len(body.ResponseFormat.JSONSchema.Schema)}
	for _, t := range body.Tools {
		m.tools += len(t.Function.Name) + len(t.Function.Description) + len(t.Function.Parameters)
	}
	var results []string
	for i, message := range r.Messages {
		size := len(message.Content)
		switch message.Role {
		case "system":
			m.system += size
		case "assistant":
			size = len(body.Messages[i])
		case "tool":
			results = append(results, message.Content)
		case "user":
			m.user += size
		}
		m.bytes += size
	}
	m.bytes += m.tools + m.schema
	m.tokens = int(provider.ExpectedUsage(m.bytes).InputTokens)

	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests, s.bytes, s.tokens = s.requests+1, s.bytes+m.bytes, s.tokens+m.tokens
	if len(results) == 0 {
		s.system, s.tools, s.schema, s.user = m.system, m.tools, m.schema, s.user+m.user
	}
	rule := providertest.Rule{Usage: &providertest.Usage{Input: int64(m.tokens), Output: 2000}}
	method := definedMethod.FindStringSubmatch(r.Messages[1].Content)
	if called := calledMethod.FindStringSubmatch(r.Messages[1].Content); called != nil {
		method = called
	}
	if s.callsTools && method != nil && len(results) < 2 {
		call := providertest.ToolCall{ID: "call", Name: "Grep", Arguments: fmt.Sprintf(`{"pattern":"\\) %s\\(","path":"shop/part?/","ignoreCase":null}`, method[1])}
		if len(results) == 1 {
			path := regexp.MustCompile(`shop/\S+\.go`).FindString(results[0])
			line := regexp.MustCompile(`(?m)^\d+`).FindString(results[0])
			call = providertest.ToolCall{ID: "call", Name: "Read", Arguments: fmt.Sprintf(`{"path":%q,"offset":%s,"limit":40}`, path, line)}
		}
		rule.ToolCalls = []providertest.ToolCall{call}
	}
	return rule, true
}

// take returns what was counted, and begins anew.
func (s *costServer) take() meter {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.meter
	s.meter = meter{}
	return m
}

// thousands formats a number of tokens, with three digits.
func thousands(n int64) string {
	if n < 100_000 {
		return format.Tokens(n)
	}
	return fmt.Sprintf("%dk", (n+500)/1000)
}

func (m meter) String() string {
	if m.requests == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%s, %s", format.Count(m.requests, "request", "requests"), thousands(int64(m.tokens)))
}

// costs are those of a change with a skill: of the first run, and of runs after it.
type costs struct {
	plan                         project.SkillEstimate
	first, second, moved, edited meter
	tools, again, movedTools     meter // for a model that calls tools
}

func measureCosts(t *testing.T, c costChange, skill string) costs {
	var all costs
	for _, callsTools := range []bool{false, true} {
		w := newWorld(t, c.files(false))
		after := c.files(true)
		w.write(t, after)
		s := &costServer{callsTools: callsTools}
		w.server(t, providertest.Script{Reply: s.reply})
		run := func(args ...string) meter {
			t.Helper()
			if code := w.run(t.Context(), append([]string{"scan", "--skill=" + skill}, args...)...); code != exitOK {
				t.Fatalf("exit code %d: %s", code, &w.stderr)
			}
			return s.take()
		}
		var estimate project.Estimate
		if run("--plan", "--output=-"); json.Unmarshal(w.stdout.Bytes(), &estimate) != nil || len(estimate.Skills) != 1 {
			t.Fatalf("not a plan: %s", &w.stdout)
		}
		first, second := run(), run()
		const file = "shop/part0/store.go"
		inserted := strings.Repeat("// A line of a text that explains at length what this file is for.\n", 60)
		w.write(t, map[string]string{file: inserted + after[file]})
		moved := run()
		if callsTools {
			all.tools, all.again, all.movedTools = first, second, moved
			continue
		}
		w.write(t, map[string]string{file: strings.Replace(after[file], "too small", "too little", 1)})
		all.plan, all.first, all.second, all.moved, all.edited = estimate.Skills[0], first, second, moved, run()
	}
	return all
}

// TestGoldenCosts measures what runs cost, for docs/costs.md.
func TestGoldenCosts(t *testing.T) {
	if testing.Short() {
		t.Skip("scans a change of 5,000 lines ten times")
	}
	skills := []string{"code-review", "security-review"}
	measured := make([][]costs, len(costChanges))
	t.Run("measure", func(t *testing.T) {
		for i, c := range costChanges {
			measured[i] = make([]costs, len(skills))
			for k, skill := range skills {
				t.Run(c.lines+" "+skill, func(t *testing.T) {
					t.Parallel()
					measured[i][k] = measureCosts(t, c, skill)
				})
			}
		}
	})
	tables := make(map[string]string)
	row := func(table string, cells ...any) {
		for _, c := range cells {
			tables[table] += fmt.Sprintf("| %v ", c)
		}
		tables[table] += "|\n"
	}
	header := func(table string, cells ...any) {
		row(table, cells...)
		row(table, slices.Repeat([]any{"---"}, len(cells))...)
	}
	header("first", "change", "skill", "chunks", "sent, KB", "input tokens", "`--plan`: input tokens", "`--plan`: output tokens")
	header("later", "change", "skill", "first run", "again", "one line edited", "60 lines inserted above")
	header("tools", "change", "skill", "first run", "again", "60 lines inserted above")
	header("chunk", "skill", "system prompt", "schema", "tools", "code, and what is around it", "together")
	for i, c := range costChanges {
		for k, skill := range skills {
			m := measured[i][k]
			if m.second.requests > 0 || m.again.requests > 0 || m.first.requests != m.plan.Chunks || int64(m.first.tokens) != m.plan.Usage.InputTokens {
				t.Errorf("%s lines, %s: not as planned, or not cached: %+v", c.lines, skill, m)
			}
			row("first", c.lines+" lines", skill, m.plan.Chunks, (m.first.bytes+500)/1000, thousands(int64(m.first.tokens)), thousands(m.plan.Usage.InputTokens), thousands(m.plan.Usage.OutputTokens))
			row("later", c.lines+" lines", skill, m.first, m.second, m.edited, m.moved)
			row("tools", c.lines+" lines", skill, m.tools, m.again, m.movedTools)
			if f := m.first; i == len(costChanges)-1 {
				row("chunk", skill, f.system, f.schema, f.tools, f.user/f.requests, f.bytes/f.requests)
			}
		}
	}
	header("prices", "model", "50 lines", "500 lines", "5,000 lines")
	for _, model := range []string{"gpt-5-mini", "claude-haiku-5-5", "gemini-3.5-flash-lite", "gpt-6.2-sol", "claude-sonnet-5-5", "claude-opus-5-5", "gpt-6.2-astra"} {
		cells := []any{"`" + model + "`"}
		for i := range costChanges {
			m := measured[i][0]
			cost := func(output int) string {
				return format.Cost(provider.Prices{}.Cost(provider.Usage{InputTokens: int64(m.first.tokens), OutputTokens: int64(output * m.first.requests)}, model))
			}
			cells = append(cells, cost(200)+" to "+cost(2000))
		}
		row("prices", cells...)
	}

	const file = "../../docs/costs.md"
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(`(?s)<!-- table (\w+) -->\n.*?<!-- end -->`).ReplaceAllFunc(want, func(old []byte) []byte {
		begin, _, _ := bytes.Cut(old, []byte("\n"))
		name := strings.Fields(string(begin))[2]
		if tables[name] == "" {
			t.Errorf("no table %q", name)
		}
		return fmt.Appendf(nil, "%s\n%s<!-- end -->", begin, tables[name])
	})
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	} else if d := cmp.Diff(string(got), string(want)); d != "" {
		t.Errorf("got (-) differs from %s (+); -update rewrites it:\n%s", file, d)
	}
}
