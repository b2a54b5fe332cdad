package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/provider"
)

var _ provider.Fingerprinter = (*Agent)(nil)

// Fingerprint implements [provider.Fingerprinter]. It is made from the user's set-up of
// the CLI, without the credentials, and from the CLI's version if no model was chosen,
// since the CLI chooses one then; see [Agent.Probe].
func (a *Agent) Fingerprint(ctx context.Context) string {
	h := sha256.New()
	fmt.Fprintf(h, "%v\n", a.tools)
	for _, entry := range slices.Sorted(slices.Values(a.route.env)) {
		if name, _, _ := strings.Cut(entry, "="); !matchVariable(common, name) && len(secrets([]string{entry})) == 0 {
			fmt.Fprintf(h, "%q\n", entry)
		}
	}
	for _, file := range a.route.files {
		if filepath.Base(file) == "auth.json" {
			continue // its tokens change all the time
		}
		data, err := os.ReadFile(file)
		fmt.Fprintf(h, "%q %v\n", data, err == nil) // not the name, which has the user in it
	}
	if a.model == "" {
		k, err := a.probe(ctx)
		if err != nil || k.version == "" {
			return ""
		}
		fmt.Fprintf(h, "%q\n", k.version)
	}
	return hex.EncodeToString(h.Sum(nil))
}
