package gitdiff

import (
	"bufio"
	"bytes"
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
	return "", 0, fmt.Errorf("git cat-file: unexpected answer %q", line)
}

// blobReader reads objects through one git process, which is started when the
// first one is asked for. It is safe for concurrent use.
type blobReader struct {
	git  git
	mode string // --batch or --batch-check
	ctx  context.Context

	mu     sync.Mutex
	cancel context.CancelFunc // nil: not started
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	err    error // why nothing more can be read
}

// blobs returns a reader whose process ends with ctx, or when it is closed.
func (g *git) blobs(ctx context.Context) *blobReader {
	return &blobReader{git: *g, mode: "--batch", ctx: ctx}
}

var errClosed = errors.New("file system is closed")

// read returns the contents of an object, or ErrTooLarge.
func (b *blobReader) read(oid string) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	size, err := b.ask(oid)
	if err != nil {
		return nil, err
	}
	if size > MaxFileSize {
		if err := b.skip(size + 1); err != nil {
			return nil, err
		}
		return nil, ErrTooLarge
	}
	data := make([]byte, size+1) // and a newline
	if _, err := io.ReadFull(b.out, data); err != nil {
		return nil, b.fail(err)
	}
	return data[:size:size], nil
}

// size returns the size of an object. The reader must be one of sizes.
func (b *blobReader) size(oid string) (int64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ask(oid)
}

// ask sends a request and reads the first line of the answer.
func (b *blobReader) ask(oid string) (int64, error) {
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

func (b *blobReader) skip(n int64) error {
	if _, err := io.CopyN(io.Discard, b.out, n); err != nil {
		return b.fail(err)
	}
	return nil
}

func (b *blobReader) start() error {
	ctx, cancel := context.WithCancel(b.ctx)
	cmd := b.git.command(ctx, "cat-file", b.mode)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		cancel()
		return err
	}
	cmd.Stderr = new(proc.Tail)
	if err := cmd.Start(); err != nil {
		cancel()
		return commandError(b.ctx, "cat-file", func() string { return "" }, err)
	}
	b.cmd, b.in, b.out, b.cancel = cmd, in, bufio.NewReaderSize(out, 32<<10), cancel
	return nil
}

// fail ends the process after a failed exchange.
func (b *blobReader) fail(err error) error {
	// A canceled process is seen as a broken pipe; one that died says why.
	waitErr := b.stop()
	switch stderr := b.cmd.Stderr.(*proc.Tail).String(); {
	case b.ctx.Err() != nil:
		b.err = context.Cause(b.ctx)
	case stderr != "":
		b.err = gitFailure(&GitError{Command: "cat-file", ExitCode: b.cmd.ProcessState.ExitCode(), Stderr: stderr, Err: waitErr})
	default:
		b.err = fmt.Errorf("git cat-file: %w", noEOF(err))
	}
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

// isBinary is our own test: any NUL byte, whatever the attributes say.
func isBinary(data []byte) bool { return bytes.IndexByte(data, 0) >= 0 }
