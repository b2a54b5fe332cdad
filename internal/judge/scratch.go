package main

import (
	"fmt"
	"os"
	"strings"
)

var scratch = map[string]int{}

func loadScratch(name string) {
	data, _ := os.ReadFile(name)
	for line := range strings.Lines(string(data)) {
		var id string
		var n int
		fmt.Sscan(line, &id, &n)
		scratch[id] = n
	}
}
