package skilltest_test

import (
	"fmt"

	"github.com/codescan-dev/scanner/skill/skilltest"
)

// A report that is kept in a file is compared with that of a new run, which has other times
// and another id.
func ExampleDiffLogs() {
	want := []byte(`{"run":{"timestamp":"2026-02-18T14:32:15.123Z","durationMs":2100,"cwd":"/src/shop","runId":"0f8fad5b-d9cb-469f-a165-70867728950e"},"skill":"own","summary":"1 finding","findings":[{"id":"6f1c0d2e9a7b","severity":"high","title":"error is dropped","description":"d"}]}`)
	got := []byte(`{"run":{"timestamp":"2026-11-22T09:30:00.000Z","durationMs":1900,"cwd":"/tmp/shop","runId":"9b2e0c1a-7f57-4a43-8b1e-5a3f3f6f2d10"},"skill":"own","summary":"1 finding","findings":[{"id":"6f1c0d2e9a7b","severity":"low","title":"error is dropped","description":"d"}]}`)
	if d := skilltest.DiffLogs(want, got); d != "" {
		fmt.Printf("The report differs:\n%s", d)
	}
	// Output:
	// The report differs:
	// diff want got
	// --- want
	// +++ got
	// @@ -3,7 +3,7 @@
	//      {
	//        "description": "d",
	//        "id": "6f1c0d2e9a7b",
	// -      "severity": "high",
	// +      "severity": "low",
	//        "title": "error is dropped"
	//      }
	//    ],
}
