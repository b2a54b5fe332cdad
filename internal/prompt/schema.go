package prompt

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"sync"

	"github.com/codescan-dev/scanner/provider"
)

//go:embed findings.schema.json
var findingsSchema []byte

// Schema returns the JSON schema of the answer to an analysis. It satisfies
// strict mode: every object lists all its properties as required and allows no
// others; what may be absent may be null.
func Schema() *provider.Schema {
	return &provider.Schema{Name: "findings", JSON: bytes.Clone(compacted())}
}

var compacted = sync.OnceValue(func() []byte { return newSchema("", findingsSchema).JSON })

// ExtractionSchema returns the JSON schema of the answer to the request that
// [Extraction] builds. It differs from [Schema] in that the list may be null,
// for a text that does not state whether there are findings.
func ExtractionSchema() *provider.Schema {
	// The first type "array" is the one of the list.
	nullable := bytes.Replace(findingsSchema, []byte(`"type": "array"`), []byte(`"type": ["array", "null"]`), 1)
	return newSchema("extracted_findings", nullable)
}

func newSchema(name string, doc []byte) *provider.Schema {
	var b bytes.Buffer
	if err := json.Compact(&b, doc); err != nil {
		b.Reset()
		b.Write(doc) // the tests read it, so this does not happen
	}
	return &provider.Schema{Name: name, JSON: b.Bytes()}
}
