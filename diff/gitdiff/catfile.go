package gitdiff

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"github.com/codescan-dev/scanner/internal/proc"
)

// sizes returns the sizes in bytes of objects.
func (g *git) sizes(ctx context.Context, oids []string) (map[string]int64, error) {
	if len(oids) == 0 {
		return nil, nil
	}
	stdin := []byte(strings.Join(oids, "\n") + "\n")
	out, err := g.output(ctx, stdin, "cat-file", "--batch-check")
	if err != nil {
		return nil, err
	}
	sizes := make(map[string]int64, len(oids))
	for line := range strings.Lines(string(out)) {
		oid, size, err := parseObject(line)
		if err != nil {
			return nil, err
		}
		sizes[oid] = size
	}
	return sizes, nil
}

// parseObject parses "<oid> <type> <size>\n", or "<oid> missing\n".
func parseObject(line string) (oid string, size int64, err error) {
	f := strings.Fields(line)
	if len(f) == 2 && f[1] == "missing" {
		return "", 0, missingObjects(fmt.Errorf("no object %s", f[0]))
	}
	if len(f) == 3 {
		if size, err = strconv.ParseInt(f[2], 10, 64); err == nil && size >= 0 {
			return f[0], size, nil
		}
	}
	return "", 0, fmt.Errorf("git cat-file: unexpected line %q", line)
}

// blobReader reads objects through one git process, which is started with the
// first one. It is safe for concurrent use.
type blobReader struct {
	git git
	ctx context.Context

	mu     sync.Mutex
	cancel context.CancelFunc // nil: not started
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	err    error // of all further reads
}

// blobs returns a reader whose process ends with ctx, or when it is closed.
func (g *git) blobs(ctx context.Context) *blobReader {
	return &blobReader{git: *g, ctx: ctx}
}

var errClosed = errors.New("file system is closed")

// read returns the contents of an object, or ErrTooLarge.
func (b *blobReader) read(oid string) ([]byte, error) {
	data, _, err := b.get(oid)
	if err == nil && data == nil {
		err = ErrTooLarge
	}
	return data, err
}

// get returns the contents of an object and its size in bytes. The contents of
// one that is too large are nil.
func (b *blobReader) get(oid string) (data []byte, size int64, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if size, err = b.request(oid); err != nil {
		return nil, 0, err
	}
	// A newline follows the contents.
	if size > MaxFileSize {
		_, err = io.CopyN(io.Discard, b.out, size+1)
	} else {
		data = make([]byte, size+1)
		_, err = io.ReadFull(b.out, data)
		data = data[:size:size]
	}
	if err != nil {
		return nil, 0, b.fail(err)
	}
	return data, size, nil
}

// request sends the name of an object, and reads its size.
func (b *blobReader) request(oid string) (int64, error) {
	if b.err == nil && b.cancel == nil {
		b.err = b.start()
	}
	if b.err != nil {
		return 0, b.err
	}
	if err := b.ctx.Err(); err != nil {
		return 0, b.fail(err) // the process may not be dead yet
	}
	if _, err := io.WriteString(b.in, oid+"\n"); err != nil {
		return 0, b.fail(err)
	}
	line, err := b.out.ReadString('\n')
	if err != nil {
		return 0, b.fail(err)
	}
	_, size, err := parseObject(line)
	return size, err
}

func (b *blobReader) start() error {
	ctx, cancel := context.WithCancel(b.ctx)
	cmd := b.git.command(ctx, "cat-file", "--batch")
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		cancel()
		return err
	}
	cmd.Stderr = new(proc.Tail)
	if err := cmd.Start(); err != nil {
		cancel()
		return commandError(b.ctx, "cat-file", new(proc.Tail), err)
	}
	b.cmd, b.in, b.out, b.cancel = cmd, in, bufio.NewReaderSize(out, 32<<10), cancel
	return nil
}

// fail ends the process after a failed exchange.
func (b *blobReader) fail(err error) error {
	// A canceled process is seen as a broken pipe; one that died left a reason.
	waitErr := b.stop()
	b.err = fmt.Errorf("git cat-file: %w", err)
	if stderr := b.cmd.Stderr.(*proc.Tail).String(); stderr != "" {
		b.err = &gitError{command: "cat-file", exitCode: b.cmd.ProcessState.ExitCode(), stderr: stderr, err: waitErr}
	}
	b.err = explain(b.ctx, b.err)
	return b.err
}

func (b *blobReader) stop() error {
	b.in.Close()
	b.cancel()
	return b.cmd.Wait()
}

// close ends the process. Reading fails afterwards.
func (b *blobReader) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil && b.cancel != nil {
		_ = b.stop() // it is killed
	}
	if b.err == nil {
		b.err = errClosed
	}
}
