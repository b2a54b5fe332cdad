package jsonl

import "io"

var ParseName = parseName

// NewFile returns a File that writes to f, to fill a disk.
func NewFile(name string, f interface {
	io.WriteCloser
	Truncate(size int64) error
	Sync() error
}) *File {
	return newFile(name, f)
}
