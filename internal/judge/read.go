package main

import "io/fs"

func read(tree fs.FS) (*labeled, error) { return readComments(tree) }
