package tomlfile

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Set returns the text of a valid file in which a key of one table has a string, without
// control characters, as its value: the table of an array of tables whose name is given.
// If there is none, it is added at the end. All other bytes stay as they are.
func Set(data []byte, array, name, key, value string) []byte {
	const mark = "\ufeff"
	if rest, ok := bytes.CutPrefix(data, []byte(mark)); ok {
		return append([]byte(mark), Set(rest, array, name, key, value)...)
	}
	root := parseTree(data)
	eol := "\n"
	if bytes.Contains(data, []byte("\r\n")) {
		eol = "\r\n"
	}
	value = strconv.Quote(value)
	if list := root.byName[array]; list != nil {
		for _, table := range list.nodes {
			named := table.byName["name"]
			if named == nil || string(named.raw) != name {
				continue
			}
			if old := table.byName[key]; old != nil {
				return slices.Replace(slices.Clone(data), old.value, old.end, []byte(value)...)
			}
			at, text := named.end, ", "+key+" = "+value
			if table.kind != unstable.InlineTable {
				if n := bytes.IndexByte(data[at:], '\n'); n >= 0 {
					at, text = at+n+1, key+" = "+value+eol
				} else {
					at, text = len(data), eol+key+" = "+value
				}
			}
			return slices.Insert(slices.Clone(data), at, []byte(text)...)
		}
	}
	if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
		data = append(slices.Clone(data), eol...)
	}
	return fmt.Appendf(slices.Clip(data), "%[1]s[[%[2]s]]%[1]sname = %[3]q%[1]s%[4]s = %[5]s%[1]s", eol, array, name, key, value)
}
