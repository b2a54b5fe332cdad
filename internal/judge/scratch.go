package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

var cweFile = flag.String("cwe", "", "a file with lines \"id number\": the weaknesses of rules that have no cwe")

// scratch returns the weaknesses in the file.
func scratch() map[string]int {
	cwe := make(map[string]int)
	data, _ := os.ReadFile(*cweFile)
	for line := range strings.Lines(string(data)) {
		var id string
		var n int
		fmt.Sscan(line, &id, &n)
		cwe[id] = n
	}
	return cwe
}
