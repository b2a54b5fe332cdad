package jsonl_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/jsonl"
)

const (
	runText     = `{"timestamp":"2026-02-18T14:32:15.123Z","durationMs":0,"cwd":"/w","runId":"r1"}`
	skillText   = `{"run":` + runText + `,"skill":"s","summary":"","findings":[]}`
	summaryText = `{"run":` + runText + `,"type":"summary","totalFindings":0,"bySeverity":{"high":0,"medium":0,"low":0}}`
	findingText = `{"id":"i","severity":"high","title":"t","description":"d"}`
)

// readTests list for an input which records it holds, each in short, and
// with which error it ends.
var readTests = []struct {
	name, in string
	want     []string
	err      string
}{
	{"empty input", "", nil, ""},
	{"only blank lines", "\n\r\n \t\n", nil, ""},
	{"one skill", skillText + "\n", []string{"skill s"}, ""},
	{"last line without newline", skillText + "\n" + summaryText, []string{"skill s", "summary"}, ""},
	{"blank lines between", "\n" + skillText + "\n\n  \n" + summaryText + "\n\n", []string{"skill s", "summary"}, ""},
	{"CRLF", skillText + "\r\n" + summaryText + "\r\n\r\n", []string{"skill s", "summary"}, ""},
	{"white space around", "  \t" + skillText + " \n", []string{"skill s"}, ""},
	{"byte order mark", "\ufeff" + skillText + "\n", []string{"skill s"}, ""},
	{"summary first", summaryText + "\n" + skillText + "\n", []string{"summary", "skill s"}, ""},
	{"type in other notation", strings.Replace(summaryText, `"summary"`, `"\u0073ummary"`, 1), []string{"summary"}, ""},
	{"unknown fields", with(skillText, `"x":{"y":[1,null]}`) + "\n" + with(summaryText, `"x":1`), []string{"skill s", "summary"}, ""},
	{"another type is a skill", with(skillText, `"type":"skill"`), []string{"skill s"}, ""},
	{"a type that is no string is a skill", with(skillText, `"type":7`), []string{"skill s"}, ""},
	{"null for optional fields", with(skillText, `"usage":null,"metadata":null,"files":null,"model":null`), []string{"skill s"}, ""},
	{"line longer than any buffer", with(skillText, `"model":"`+strings.Repeat("m", 1<<20)+`"`) + "\n" + summaryText, []string{"skill s", "summary"}, ""},
	{"summary with a skill's field of another type", with(summaryText, `"skill":5,"findings":[{"severity":"none"}]`), []string{"summary"}, ""},
	{"timestamp in another zone", strings.Replace(skillText, "14:32:15.123Z", "16:32:15.123999+02:00", 1), []string{"skill s"}, ""},

	{"not JSON", skillText + "\nhello\n" + skillText, []string{"skill s"},
		`line 2: not valid JSON at byte 1: invalid character 'h' looking for beginning of value`},
	{"blank lines count", "\n\n\n{]\n", nil,
		`line 4: not valid JSON at byte 2: invalid character ']' looking for beginning of object key string`},
	{"trailing garbage", skillText + " {}\n", nil,
		fmt.Sprintf(`line 1: not valid JSON at byte %d: invalid character '{' after top-level value`, len(skillText)+2)},
	{"cut last line", skillText + "\n" + skillText[:40], []string{"skill s"},
		`line 2: the line is cut off: unexpected EOF`},
	{"cut in a character", skillText + "\n" + `{"skill":"caf` + "\xc3", []string{"skill s"},
		`line 2: the line is cut off: unexpected EOF`},
	{"cut in an escape", skillText + "\n" + `{"skill":"\`, []string{"skill s"},
		`line 2: the line is cut off: unexpected EOF`},
	{"cut in a word", skillText + "\n" + `{"skill":tru`, []string{"skill s"},
		`line 2: the line is cut off: unexpected EOF`},
	{"wrong at the end", skillText + "\n" + `{"skill":tru}`, []string{"skill s"},
		`line 2: not valid JSON at byte 13: invalid character '}' in literal true (expecting 'e')`},
	{"cut line with others after it", skillText[:40] + "\n" + skillText, nil,
		`line 1: not valid JSON: unexpected EOF`},
	{"zeros of a crash", skillText + "\n\x00\x00\x00", []string{"skill s"},
		`line 2: not valid JSON at byte 1: invalid character '\x00' looking for beginning of value`},
	{"not UTF-8", strings.Replace(skillText, `"s"`, "\"s\xff\"", 1), nil,
		`line 1: not valid UTF-8`},
	{"array", "[]", nil, `line 1: want object, got array`},
	{"number", "5", nil, `line 1: want object, got number`},
	{"null", "null", nil, `line 1: run is missing; summary is missing; skill is missing; findings is missing`},
	{"empty object", "{}", nil, `line 1: run is missing; summary is missing; skill is missing; findings is missing`},
	{"empty run", `{"run":{},"skill":"s","summary":"","findings":[]}`, nil,
		`line 1: run.durationMs is missing; run.timestamp is missing; run.cwd is missing; run.runId is missing`},
	{"run of another type", `{"run":[],"skill":"s","summary":"","findings":[]}`, nil, `line 1: run: want object, got array`},
	{"duration missing", strings.Replace(skillText, `"durationMs":0,`, "", 1), nil, `line 1: run.durationMs is missing`},
	{"duration negative", strings.Replace(skillText, `"durationMs":0`, `"durationMs":-0.5`, 1), nil, `line 1: run.durationMs -0.5 is negative`},
	{"duration a string", strings.Replace(skillText, `"durationMs":0`, `"durationMs":"0"`, 1), nil, `line 1: run.durationMs: want 64-bit number, got string`},
	{"duration out of range", strings.Replace(skillText, `"durationMs":0`, `"durationMs":1e999`, 1), nil, `line 1: run.durationMs: want 64-bit number, got number 1e999`},
	{"timestamp not a time", strings.Replace(skillText, "2026-02-18T", "18.2.2026 ", 1), nil,
		`line 1: timestamp "18.2.2026 14:32:15.123Z" is not an ISO 8601 time such as "2006-01-02T15:04:05.000Z"`},
	{"timestamp a number", strings.Replace(skillText, `"2026-02-18T14:32:15.123Z"`, "1771425135", 1), nil,
		`line 1: timestamp: want string, got 1771425135`},
	{"timestamp without zone", strings.Replace(skillText, "123Z", "123", 1), nil,
		`line 1: timestamp "2026-02-18T14:32:15.123" is not an ISO 8601 time such as "2006-01-02T15:04:05.000Z"`},
	{"timestamp beyond the years", strings.Replace(skillText, "2026-02-18T14:32:15.123Z", "9999-12-31T23:59:59-01:00", 1), nil,
		`line 1: run.timestamp: year 10000 is outside 0 to 9999`},
	{"skill missing", strings.Replace(skillText, `"skill":"s",`, "", 1), nil, `line 1: skill is missing`},
	{"skill empty", strings.Replace(skillText, `"skill":"s"`, `"skill":""`, 1), nil, `line 1: skill is missing`},
	{"skill a number", strings.Replace(skillText, `"skill":"s"`, `"skill":1`, 1), nil, `line 1: skill: want string, got number`},
	{"summary text missing", strings.Replace(skillText, `"summary":"",`, "", 1), nil, `line 1: summary is missing`},
	{"findings missing", strings.Replace(skillText, `,"findings":[]`, "", 1), nil, `line 1: findings is missing`},
	{"findings null", strings.Replace(skillText, `[]`, "null", 1), nil, `line 1: findings is missing`},
	{"findings an object", strings.Replace(skillText, `[]`, "{}", 1), nil, `line 1: findings: want array, got object`},
	{"a finding that is no object", withFindings(findingText, "7"), nil, `line 1: findings: want object, got number`},
	{"severity missing", withFindings(`{"id":"i","title":"t","description":"d"}`), nil,
		`line 1: findings[0].severity "" is not high, medium or low`},
	{"severity unknown", withFindings(findingText, strings.Replace(findingText, "high", "urgent", 1)), nil,
		`line 1: unknown severity "urgent": want high, medium or low`},
	{"confidence unknown", withFindings(with(findingText, `"confidence":"sure"`)), nil,
		`line 1: unknown confidence "sure": want high, medium or low`},
	{"line a string", withFindings(with(findingText, `"location":{"path":"p","startLine":"1"}`)), nil,
		`line 1: findings.location.startLine: want 64-bit integer, got string`},
	{"line a fraction", withFindings(with(findingText, `"location":{"path":"p","startLine":1.5}`)), nil,
		`line 1: findings.location.startLine: want 64-bit integer, got number 1.5`},
	{"line zero", withFindings(with(findingText, `"location":{"path":"p","startLine":0}`)), nil,
		`line 1: findings[0].location: startLine 0 is not above 0`},
	{"several things wrong", withFindings(`{"id":"","severity":"low","title":"","description":"d"}`), nil,
		`line 1: findings[0].id is missing; findings[0].title is missing`},
	{"metadata not an object", with(skillText, `"metadata":[1]`), nil, `line 1: metadata: want object, got array`},
	{"tokens negative", with(skillText, `"usage":{"inputTokens":-1,"outputTokens":0}`), nil, `line 1: usage.inputTokens -1 is negative`},
	{"tokens beyond 64 bits", with(skillText, `"usage":{"inputTokens":9223372036854775808}`), nil,
		`line 1: usage.inputTokens: want 64-bit integer, got number 9223372036854775808`},
	{"cost negative", with(skillText, `"usage":{"costUSD":-0.1}`), nil, `line 1: usage.costUSD -0.1 is negative`},
	{"auxiliary usage negative", with(skillText, `"auxiliaryUsage":{"x":{},"extraction":{"outputTokens":-2}}`), nil,
		`line 1: auxiliaryUsage["extraction"].outputTokens -2 is negative`},
	{"file without name", with(skillText, `"files":[{"filename":"f"},{"findings":-1}]`), nil,
		`line 1: files[1].filename is missing; files[1].findings -1 is negative`},
	{"file of wrong type", with(skillText, `"files":[{"filename":1}]`), nil, `line 1: files.filename: want string, got number`},
	{"skipped file without reason", with(skillText, `"skippedFiles":[{"filename":"f"}]`), nil, `line 1: skippedFiles[0].reason is missing`},
	{"failed hunks negative", with(skillText, `"failedHunks":-1,"failedExtractions":-2`), nil,
		`line 1: failedHunks -1 is negative; failedExtractions -2 is negative`},
	{"skill duration negative", with(skillText, `"durationMs":-1`), nil, `line 1: durationMs -1 is negative`},

	{"summary without run", `{"type":"summary","totalFindings":0,"bySeverity":{}}`, nil, `line 1: run is missing`},
	{"summary without totals", `{"type":"summary","run":` + runText + `}`, nil, `line 1: totalFindings is missing; bySeverity is missing`},
	{"summary negative", strings.Replace(summaryText, `"low":0`, `"low":-1`, 1), nil, `line 1: bySeverity.low -1 is negative`},
	{"summary of wrong type", strings.Replace(summaryText, `"high":0`, `"high":"0"`, 1), nil, `line 1: bySeverity.high: want 64-bit integer, got string`},
	{"summary with fractional total", strings.Replace(summaryText, `"totalFindings":0`, `"totalFindings":0.5`, 1), nil,
		`line 1: totalFindings: want 64-bit integer, got number 0.5`},
	{"summary skipped negative", with(summaryText, `"totalSkippedFiles":-3`), nil, `line 1: totalSkippedFiles -3 is negative`},
}

// with adds fields to an object.
func with(object, fields string) string {
	return strings.TrimSuffix(object, "}") + "," + fields + "}"
}

func withFindings(findings ...string) string {
	return strings.Replace(skillText, `[]`, "["+strings.Join(findings, ",")+"]", 1)
}

func TestRead(t *testing.T) {
	for _, tt := range readTests {
		t.Run(tt.name, func(t *testing.T) {
			// A reader that gives byte by byte must make no difference.
			for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
				var got []string
				errText := ""
				for rec, err := range jsonl.Read(r) {
					switch rec := rec.(type) {
					case *jsonl.SkillRecord:
						got = append(got, "skill "+rec.Skill)
					case *jsonl.SummaryRecord:
						got = append(got, "summary")
					default:
						le, ok := errors.AsType[*jsonl.LineError](err)
						if !ok || errText != "" {
							t.Fatalf("got error %v after %q, want one *LineError", err, errText)
						}
						errText = le.Error()
					}
				}
				if diff := cmp.Diff(got, tt.want); diff != "" {
					t.Errorf("records (-got +want):\n%s", diff)
				}
				if errText != tt.err {
					t.Errorf("got error  %s\nwant error %s", errText, tt.err)
				}
			}
		})
	}
}

func TestReadCutLine(t *testing.T) {
	_, err := jsonl.ReadAll(strings.NewReader(skillText[:50]))
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v, want an io.ErrUnexpectedEOF", err)
	}
}

func TestReadFailingReader(t *testing.T) {
	cause := errors.New("disk on fire")
	in := io.MultiReader(strings.NewReader(skillText+"\n"+skillText[:9]), iotest.ErrReader(cause))
	log, err := jsonl.ReadAll(in)
	if !errors.Is(err, cause) || err.Error() != "line 2: disk on fire" {
		t.Errorf("got error %v, want it at line 2", err)
	}
	if len(log.Skills) != 1 {
		t.Errorf("got %d skills, want 1", len(log.Skills))
	}
}

func TestReadStopsWhenAsked(t *testing.T) {
	n := 0
	for range jsonl.Read(strings.NewReader(skillText + "\n" + skillText + "\nnonsense")) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("got %d records, want 1", n)
	}
}

func TestReadAll(t *testing.T) {
	in := encodeAll(t, testRecords()...)
	log, err := jsonl.ReadAll(bytes.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	if len(log.Skills) != 3 || log.Summary == nil {
		t.Fatalf("got %d skills, summary %v", len(log.Skills), log.Summary)
	}
	if log.TotalDuration != 2500*time.Millisecond {
		t.Errorf("got duration %v, want 2.5s", log.TotalDuration)
	}
	if diff := cmp.Diff(log.Run, log.Summary.Run); diff != "" {
		t.Errorf("run is not that of the summary:\n%s", diff)
	}

	cut := in[:bytes.LastIndex(in, []byte(`{"run"`))]
	log, err = jsonl.ReadAll(bytes.NewReader(cut))
	if err != nil {
		t.Fatal(err)
	}
	if log.Summary != nil || log.TotalDuration != 0 || log.Run != log.Skills[2].Run {
		t.Errorf("without summary: got %+v, want the run of the last skill and no duration", log)
	}
}

// TestRoundTrip: what was read, written and read again is the same, and the
// second writing has the same bytes.
func TestRoundTrip(t *testing.T) {
	var in bytes.Buffer
	in.Write(encodeAll(t, testRecords()...))
	for _, tt := range readTests {
		if tt.err == "" {
			in.WriteString(strings.TrimPrefix(tt.in, "\ufeff") + "\n")
		}
	}
	checkRoundTrip(t, in.Bytes())
}

// checkRoundTrip returns how many records of in were read.
func checkRoundTrip(t *testing.T, in []byte) int {
	t.Helper()
	first, _ := collect(in)
	out := encodeEach(t, first)
	second, err := collect(out)
	if err != nil {
		t.Fatalf("what was written cannot be read: %v\n%s", err, out)
	}
	// An empty map or list is written as none.
	if diff := cmp.Diff(second, first, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("read again (-got +want):\n%s", diff)
	}
	if again := encodeEach(t, second); !bytes.Equal(again, out) {
		t.Fatalf("written again:\n%s\nwritten first:\n%s", again, out)
	}
	return len(first)
}

func collect(in []byte) (recs []jsonl.Record, err error) {
	for rec, err := range jsonl.Read(bytes.NewReader(in)) {
		if err != nil {
			return recs, err
		}
		recs = append(recs, rec)
	}
	return recs, nil
}

// encodeEach uses a Writer for each record, since a file that was put together
// from others has more than one summary.
func encodeEach(t testing.TB, recs []jsonl.Record) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, rec := range recs {
		if err := jsonl.NewWriter(&b).Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func TestNumbersUnchanged(t *testing.T) {
	in := with(skillText, `"metadata":{"tools":{"calls":1,"problems":0,"bytes":9007199254740993}},"durationMs":12.5,`+
		`"usage":{"inputTokens":9223372036854775807,"outputTokens":9007199254740993,"costUSD":0.1},`+
		`"files":[{"filename":"f","findings":0,"durationMs":0.000001,"usage":{"inputTokens":0,"outputTokens":0,"costUSD":1e-7}}]`)
	recs, err := collect([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	out := encodeEach(t, recs)
	var got struct {
		Metadata   struct{ Tools struct{ Bytes json.Number } }
		DurationMs json.Number
		Usage      struct{ InputTokens, OutputTokens, CostUSD json.Number }
		Files      []struct {
			DurationMs json.Number
			Usage      struct{ CostUSD json.Number }
		}
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	numbers := []json.Number{got.Metadata.Tools.Bytes, got.DurationMs, got.Usage.InputTokens, got.Usage.OutputTokens, got.Usage.CostUSD, got.Files[0].DurationMs, got.Files[0].Usage.CostUSD}
	want := []json.Number{"9007199254740993", "12.5", "9223372036854775807", "9007199254740993", "0.1", "0.000001", "1e-7"}
	if diff := cmp.Diff(numbers, want); diff != "" {
		t.Errorf("numbers (-got +want):\n%s", diff)
	}
}

func TestOldSeverities(t *testing.T) {
	in := withFindings(strings.Replace(findingText, "high", "critical", 1), strings.Replace(findingText, "high", "info", 1)) + "\n" +
		strings.Replace(summaryText, `{"high":0,"medium":0,"low":0}`, `{"critical":1,"high":2,"medium":3,"low":4,"info":5}`, 1)
	log, err := jsonl.ReadAll(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := scanner.CountSeverities(log.Skills[0].Findings), (scanner.SeverityCounts{High: 1, Low: 1}); got != want {
		t.Errorf("findings: got %+v, want %+v", got, want)
	}
	if got, want := log.Summary.BySeverity, (scanner.SeverityCounts{High: 3, Medium: 3, Low: 9}); got != want {
		t.Errorf("bySeverity: got %+v, want %+v", got, want)
	}
}

// TestReadFlatMemory reads logs of 1 MB and of 10 MB, of which nothing is kept.
func TestReadFlatMemory(t *testing.T) {
	line := encodeAll(t, testRecords()[0])
	peak := func(lines int) uint64 {
		var most uint64
		n := 0
		for _, err := range jsonl.Read(&repeated{line: line, n: lines}) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n%(lines/8) == 0 {
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
		}
		if n != lines {
			t.Fatalf("got %d records, want %d", n, lines)
		}
		return most
	}
	few := peak(1<<20/len(line) + 1)
	many := peak(10<<20/len(line) + 1)
	if many > few+512<<10 {
		t.Errorf("got %d KiB in use with 10 MB, %d KiB with 1 MB: memory grows with the input", many>>10, few>>10)
	}
}

// repeated reads as n times the same line.
type repeated struct {
	line []byte
	n    int
	rest []byte
}

func (r *repeated) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.n == 0 {
			return 0, io.EOF
		}
		r.n--
		r.rest = r.line
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func TestDurationRange(t *testing.T) {
	for _, tt := range []struct {
		ms   float64
		want time.Duration
	}{
		{0, 0},
		{12.5, 12_500 * time.Microsecond},
		{0.000001, 1},
		{1e21, math.MaxInt64},
		{math.MaxFloat64, math.MaxInt64},
	} {
		if got := (&jsonl.SkillRecord{DurationMs: tt.ms}).Report().Duration; got != tt.want {
			t.Errorf("%v ms: got %v, want %v", tt.ms, got, tt.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, tt := range readTests {
		if len(tt.in) < 1<<16 {
			f.Add([]byte(tt.in))
		}
	}
	var b bytes.Buffer
	for _, rec := range testRecords() {
		if err := jsonl.NewWriter(&b).Write(rec); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, in []byte) {
		checkRoundTrip(t, in)
		log, _ := jsonl.ReadAll(bytes.NewReader(in))
		for _, rec := range log.Skills {
			report := rec.Report()
			again := jsonl.FromReport(rec.Run, report, scanner.Select(report, scanner.Policy{}))
			if err := again.Validate(); err != nil {
				t.Errorf("record of a report of a record: %v", err)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	line := encodeAll(b, testRecords()[0])
	for _, lines := range []int{1, 1000} {
		b.Run(fmt.Sprintf("lines=%d", lines), func(b *testing.B) {
			b.SetBytes(int64(lines * len(line)))
			b.ReportAllocs()
			for b.Loop() {
				for _, err := range jsonl.Read(&repeated{line: line, n: lines}) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
