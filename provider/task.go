package provider

import "context"

// Task is what a [Request] is for, for caches, recordings and messages. Providers
// do not send it. The zero value means that it is not known.
type Task struct {
	// Role is "analyze", "turn 2" and so on for what follows in a conversation with
	// tools, "extract", or "verify".
	Role string
	// Skill is the name of the skill, Path the file of the chunk, as it is sent, and
	// StartLine and EndLine are the chunk's first and last line.
	Skill, Path        string
	StartLine, EndLine int
	// ChunkHash is the hash of the text about the chunk, with line numbers relative
	// to the first line that it shows: a chunk that moved keeps it. It is that of the
	// chunk for all of the requests about it.
	ChunkHash string
	// CacheKey is the hash of the whole first request about the chunk, with line
	// numbers in the same way, and of what answers it. It is empty if the model is
	// unknown: such answers must not be stored.
	CacheKey string
}

// Fingerprinter is implemented by providers whose answers depend on more than the
// request and their [Identity], such as programs with settings of their own.
type Fingerprinter interface {
	Provider
	// Fingerprint returns a text that changes with them; empty if they are unknown.
	// With a fingerprint, answers to requests that name no model can be stored.
	Fingerprint(ctx context.Context) string
}
