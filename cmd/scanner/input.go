package main

import (
	"bufio"
	"context"
	"strings"
)

// readAnswer reads a line of standard input that answers a question. At the end
// of the input its error is io.EOF, when the run is interrupted that of ctx.
func (p *process) readAnswer(ctx context.Context) (string, error) {
	if p.answers == nil {
		p.answers = bufio.NewReader(p.stdin)
	}
	type result struct {
		line string
		err  error
	}
	read := make(chan result, 1)
	go func() { // a read cannot be canceled; the process ends soon
		line, err := p.answers.ReadString('\n')
		read <- result{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case r := <-read:
		if line := strings.TrimSpace(r.line); line != "" {
			return line, nil
		}
		return "", r.err
	}
}
