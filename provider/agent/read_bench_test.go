package agent

import (
	"bytes"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/provider"
)

// BenchmarkRead reads an answer of 1 MB, and output of the same size that is none.
func BenchmarkRead(b *testing.B) {
	for _, name := range names() {
		a, err := New(Config{Env: []string{"HOME=" + b.TempDir()}, Name: name, Path: b.TempDir(), Dir: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		a.probed = &probed{}
		answer := recorded(b, name, "success").saying(strings.Repeat(`{"title":"x"}`+"\n", 1<<20/14)).Run
		garbage := output{stdout: bytes.Repeat([]byte("{\"type\":\n"), 1<<20/9), exit: 1}
		for _, bench := range []struct {
			name string
			out  output
			kind provider.Kind
		}{{"answer", answer, provider.KindUnknown}, {"garbage", garbage, provider.KindSubprocess}} {
			b.Run(name+"/"+bench.name, func(b *testing.B) {
				b.SetBytes(int64(len(bench.out.stdout)))
				for b.Loop() {
					if _, err := a.result(bench.out, provider.Request{}); provider.KindOf(err) != bench.kind {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
