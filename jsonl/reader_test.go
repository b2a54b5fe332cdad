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

// readTests list for an input of several lines, or of parts of them, which records
// it holds, each in short, and with which error it ends.
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
	{"unknown fields", with(skillText, `"x":{"y":[1,null]}`) + "\n" + with(summaryText, `"x":1`), []string{"skill s", "summary"}, ""},
	{"line longer than any buffer", with(skillText, `"model":"`+strings.Repeat("m", 1<<20)+`"`) + "\n" + summaryText, []string{"skill s", "summary"}, ""},
	{"not JSON", skillText + "\nhello\n" + skillText, []string{"skill s"},
		`line 2: not valid JSON at byte 1: invalid character 'h' looking for beginning of value`},
	{"blank lines count", "\n\n\n{]\n", nil,
		`line 4: not valid JSON at byte 2: invalid character ']' looking for beginning of object key string`},
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
	for _, tt := range recordTests {
		if tt.err == "" {
			in.WriteString(tt.line + "\n")
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
	for _, tt := range recordTests {
		f.Add([]byte(tt.line))
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
			again := jsonl.FromReport(rec.Run, report, selection(report, scanner.Policy{}))
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
