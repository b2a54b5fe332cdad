package jsonl_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/codescan-dev/scanner/jsonl"
)

// recordTests are single lines with the error that the reader has for them, if
// they are not valid records. The schema has the same verdict on each.
var recordTests = []struct{ name, line, err string }{
	{"skill", skillText, ""},
	{"summary", summaryText, ""},
	{"type in other notation", strings.Replace(summaryText, `"summary"`, `"\u0073ummary"`, 1), ""},
	{"another type is a skill", with(skillText, `"type":"skill"`), ""},
	{"a type that is no string is a skill", with(skillText, `"type":7`), ""},
	{"summary with a skill's field of another type", with(summaryText, `"skill":5,"findings":[{"severity":"none"}]`), ""},
	{"timestamp in another zone", strings.Replace(skillText, "14:32:15.123Z", "16:32:15.123999+02:00", 1), ""},
	{"integers with fractions and exponents", with(withFindings(with(findingText, `"location":{"path":"p","startLine":1.0,"endLine":0.2e1}`)), `"failedHunks":1e0`), ""},
	{"largest integer", with(skillText, `"usage":{"inputTokens":9223372036854775807}`), ""},
	{"largest integer with a fraction", with(skillText, `"usage":{"inputTokens":9223372036854775807.0,"outputTokens":1e18}`), ""},
	{"end before start", withFindings(with(findingText, `"location":{"path":"p","startLine":5,"endLine":3}`)), ""},
	{"severities of older logs", withFindings(strings.Replace(findingText, "high", "critical", 1), strings.Replace(findingText, "high", "info", 1)), ""},
	{"totals of older logs", strings.Replace(summaryText, `"high":0`, `"critical":1,"info":2`, 1), ""},
	{"empty confidence", withFindings(with(findingText, `"confidence":""`)), ""},
	{"empty objects", with(skillText, `"usage":{},"auxiliaryUsage":{"x":{}},"metadata":{},"files":[],"skippedFiles":[]`), ""},
	{"metadata of another form", with(skillText, `"metadata":{"provider":7,"chunks":"many","redacted":-1,"x":null}`), ""},
	{"unknown names in other cases", with(skillText, `"Usage":7,"FINDINGS":null,"":0,"-":0`), ""},
	{"repeated name with a good value last", with(`{"skill":7}`, skillText[1:len(skillText)-1]), ""},
	{"timestamp without a fraction", strings.Replace(skillText, ".123Z", "Z", 1), ""},
	{"timestamp beyond the years", strings.Replace(skillText, "2026-02-18T14:32:15.123Z", "9999-12-31T23:59:59-01:00", 1), ""},

	{"trailing garbage", skillText + " {}\n", fmt.Sprintf(`not valid JSON at byte %d: invalid character '{' after top-level value`, len(skillText)+2)},
	{"not UTF-8", strings.Replace(skillText, `"s"`, "\"s\xff\"", 1), `not valid UTF-8`},
	{"array", "[]", `want object, got array`},
	{"number", "5", `want object, got number 5`},
	{"empty object", "{}", `run is missing`},
	{"empty run", `{"run":{},"skill":"s","summary":"","findings":[]}`, `run.durationMs is missing`},
	{"run of another type", `{"run":[],"skill":"s","summary":"","findings":[]}`, `run: want object, got array`},
	{"duration missing", strings.Replace(skillText, `"durationMs":0,`, "", 1), `run.durationMs is missing`},
	{"duration negative", strings.Replace(skillText, `"durationMs":0`, `"durationMs":-0.5`, 1), `run.durationMs -0.5 is negative`},
	{"duration a string", strings.Replace(skillText, `"durationMs":0`, `"durationMs":"0"`, 1), `run.durationMs: want 64-bit number, got string`},
	{"duration out of range", strings.Replace(skillText, `"durationMs":0`, `"durationMs":1e999`, 1), `run.durationMs: want 64-bit number, got number 1e999`},
	{"timestamp not a time", strings.Replace(skillText, "2026-02-18T", "18.2.2026 ", 1), `timestamp "18.2.2026 14:32:15.123Z" is not an ISO 8601 time such as "2006-01-02T15:04:05.000Z"`},
	{"timestamp a number", strings.Replace(skillText, `"2026-02-18T14:32:15.123Z"`, "1771425135", 1), `run.timestamp: want string, got number 1771425135`},
	{"timestamp without zone", strings.Replace(skillText, "123Z", "123", 1), `timestamp "2026-02-18T14:32:15.123" is not an ISO 8601 time such as "2006-01-02T15:04:05.000Z"`},
	{"skill missing", strings.Replace(skillText, `"skill":"s",`, "", 1), `skill is missing`},
	{"skill empty", strings.Replace(skillText, `"skill":"s"`, `"skill":""`, 1), `skill is missing`},
	{"skill a number", strings.Replace(skillText, `"skill":"s"`, `"skill":1`, 1), `skill: want string, got number 1`},
	{"summary text missing", strings.Replace(skillText, `"summary":"",`, "", 1), `summary is missing`},
	{"findings missing", strings.Replace(skillText, `,"findings":[]`, "", 1), `findings is missing`},
	{"findings null", strings.Replace(skillText, `[]`, "null", 1), `findings: want array, got null`},
	{"findings an object", strings.Replace(skillText, `[]`, "{}", 1), `findings: want array, got object`},
	{"a finding that is no object", withFindings(findingText, "7"), `findings[1]: want object, got number 7`},
	{"severity missing", withFindings(`{"id":"i","title":"t","description":"d"}`), `findings[0].severity "" is not high, medium or low`},
	{"severity unknown", withFindings(findingText, strings.Replace(findingText, "high", "urgent", 1)), `unknown severity "urgent": want high, medium or low`},
	{"confidence unknown", withFindings(with(findingText, `"confidence":"sure"`)), `unknown confidence "sure": want high, medium or low`},
	{"line a string", withFindings(with(findingText, `"location":{"path":"p","startLine":"1"}`)), `findings[0].location.startLine: want 64-bit integer, got string`},
	{"line a fraction", withFindings(with(findingText, `"location":{"path":"p","startLine":1.5}`)), `findings[0].location.startLine: want 64-bit integer, got number 1.5`},
	{"line zero", withFindings(with(findingText, `"location":{"path":"p","startLine":0}`)), `findings[0].location: startLine 0 is not above 0`},
	{"several things wrong", withFindings(`{"id":"","severity":"low","title":"","description":"d"}`), `findings[0].id is missing; findings[0].title is missing`},
	{"metadata not an object", with(skillText, `"metadata":[1]`), `metadata: want object, got array`},
	{"tokens negative", with(skillText, `"usage":{"inputTokens":-1,"outputTokens":0}`), `usage.inputTokens -1 is negative`},
	{"tokens beyond 64 bits", with(skillText, `"usage":{"inputTokens":9223372036854775808}`), `usage.inputTokens: want 64-bit integer, got number 9223372036854775808`},
	{"tokens beyond 64 bits with an exponent", with(skillText, `"usage":{"inputTokens":1e19}`), `usage.inputTokens: want 64-bit integer, got number 1e19`},
	{"tokens just above zero", with(skillText, `"usage":{"inputTokens":1e-400}`), `usage.inputTokens: want 64-bit integer, got number 1e-400`},
	{"tokens just above one", with(skillText, `"usage":{"inputTokens":1.00000000000000000001}`), `usage.inputTokens: want 64-bit integer, got number 1.00000000000000000001`},
	{"cost negative", with(skillText, `"usage":{"costUSD":-0.1}`), `usage.costUSD -0.1 is negative`},
	{"auxiliary usage negative", with(skillText, `"auxiliaryUsage":{"x":{},"extraction":{"outputTokens":-2}}`), `auxiliaryUsage["extraction"].outputTokens -2 is negative`},
	{"file without name", with(skillText, `"files":[{"filename":"f"},{"findings":-1}]`), `files[1].filename is missing; files[1].findings -1 is negative`},
	{"file of wrong type", with(skillText, `"files":[{"filename":1}]`), `files[0].filename: want string, got number 1`},
	{"skipped file without reason", with(skillText, `"skippedFiles":[{"filename":"f"}]`), `skippedFiles[0].reason is missing`},
	{"failed hunks negative", with(skillText, `"failedHunks":-1,"failedExtractions":-2`), `failedHunks -1 is negative; failedExtractions -2 is negative`},
	{"skill duration negative", with(skillText, `"durationMs":-1`), `durationMs -1 is negative`},
	{"summary without run", `{"type":"summary","totalFindings":0,"bySeverity":{}}`, `run is missing`},
	{"summary without totals", `{"type":"summary","run":` + runText + `}`, `totalFindings is missing`},
	{"summary negative", strings.Replace(summaryText, `"low":0`, `"low":-1`, 1), `bySeverity.low -1 is negative`},
	{"summary of wrong type", strings.Replace(summaryText, `"high":0`, `"high":"0"`, 1), `bySeverity.high: want 64-bit integer, got string`},
	{"summary with fractional total", strings.Replace(summaryText, `"totalFindings":0`, `"totalFindings":0.5`, 1), `totalFindings: want 64-bit integer, got number 0.5`},
	{"summary skipped negative", with(summaryText, `"totalSkippedFiles":-3`), `totalSkippedFiles -3 is negative`},
	{"null", "null", `want object, got null`},
	{"model null", with(skillText, `"model":null`), `model: want string, got null`},
	{"usage null", with(skillText, `"usage":null`), `usage: want object, got null`},
	{"metadata null", with(skillText, `"metadata":null`), `metadata: want object, got null`},
	{"cost null", with(skillText, `"usage":{"costUSD":null}`), `usage.costUSD: want 64-bit number, got null`},
	{"auxiliary usage null", with(skillText, `"auxiliaryUsage":{"x":null}`), `auxiliaryUsage["x"]: want object, got null`},
	{"name in another case", strings.Replace(skillText, `"skill"`, `"Skill"`, 1), `skill is missing`},
	{"repeated name with a wrong value last", with(skillText, `"skill":true`), `skill: want string, got boolean`},
	{"severity in capitals", withFindings(strings.Replace(findingText, "high", "HIGH", 1)), `findings[0].severity "HIGH" is not high, medium or low`},
	{"line zero with a fraction", withFindings(with(findingText, `"location":{"path":"p","startLine":0.0}`)), `findings[0].location: startLine 0 is not above 0`},
	{"end line zero", withFindings(with(findingText, `"location":{"path":"p","startLine":1,"endLine":0}`)), `findings[0].location.endLine 0 is not above 0`},
	{"end line zero with a fraction", withFindings(with(findingText, `"additionalLocations":[{"path":"p","startLine":1,"endLine":0.0}]`)),
		`findings[0].additionalLocations[0].endLine 0 is not above 0`},
	{"end line negative", withFindings(with(findingText, `"location":{"path":"p","startLine":1,"endLine":-1}`)), `findings[0].location: endLine -1 is not above 0`},
	{"line beyond 64 bits", withFindings(with(findingText, `"location":{"path":"p","startLine":1e19}`)),
		`findings[0].location.startLine: want 64-bit integer, got number 1e19`},
	{"path empty", withFindings(with(findingText, `"location":{"path":"","startLine":1}`)), `findings[0].location: path is missing`},
	{"fix without diff", withFindings(with(findingText, `"suggestedFix":{"description":"d"}`)), `findings[0].suggestedFix.diff is missing`},
	{"elapsed time negative", withFindings(with(findingText, `"elapsedMs":-1`)), `findings[0].elapsedMs -1 is negative`},
	{"timestamp of no day", strings.Replace(skillText, "02-18", "02-30", 1),
		`timestamp "2026-02-30T14:32:15.123Z" is not an ISO 8601 time such as "2006-01-02T15:04:05.000Z"`},
	{"timestamp in lower case", strings.Replace(skillText, "15.123Z", "15.123z", 1),
		`timestamp "2026-02-18T14:32:15.123z" is not an ISO 8601 time such as "2006-01-02T15:04:05.000Z"`},
	{"timestamp with a comma", strings.Replace(skillText, "15.123Z", "15,123Z", 1),
		`timestamp "2026-02-18T14:32:15,123Z" is not an ISO 8601 time such as "2006-01-02T15:04:05.000Z"`},
	{"timestamp with one digit of an hour", strings.Replace(skillText, "T14:", "T4:", 1),
		`timestamp "2026-02-18T4:32:15.123Z" is not an ISO 8601 time such as "2006-01-02T15:04:05.000Z"`},
	{"timestamp in a zone of 24 hours", strings.Replace(skillText, "15.123Z", "15+24:00", 1),
		`timestamp "2026-02-18T14:32:15+24:00" is not an ISO 8601 time such as "2006-01-02T15:04:05.000Z"`},
	{"timestamp with a leap second", strings.Replace(skillText, "14:32:15.123Z", "23:59:60Z", 1),
		`timestamp "2026-02-18T23:59:60Z" is not an ISO 8601 time such as "2006-01-02T15:04:05.000Z"`},
	{"summary with a negative total of an older log", strings.Replace(summaryText, `"high":0`, `"high":1,"critical":-1`, 1), `bySeverity.critical -1 is negative`},
}

func TestVerdicts(t *testing.T) {
	schema := compileSchema(t, "")
	for _, tt := range recordTests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if _, err := jsonl.ReadAll(strings.NewReader(tt.line)); err != nil {
				got = strings.TrimPrefix(err.Error(), "line 1: ")
			}
			if got != tt.err {
				t.Errorf("got error  %s\nwant error %s", got, tt.err)
			}
			// A schema sees no text that is not JSON, which is UTF-8.
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(tt.line))
			if err == nil && utf8.ValidString(tt.line) {
				if err = schema.Validate(v); (err == nil) != (tt.err == "") {
					t.Errorf("the schema gives %v", err)
				}
			}
		})
	}
}
