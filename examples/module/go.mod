// A module of its own, as one that uses the library. It is built and tested with what it
// would get from a release: exported names only.
module example.com/minimal

go 1.26.0

require github.com/codescan-dev/scanner v0.0.0

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4 // indirect
	github.com/cenkalti/backoff/v4 v4.3.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/pelletier/go-toml/v2 v2.4.3 // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	github.com/sourcegraph/go-diff v0.9.0 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
)

replace github.com/codescan-dev/scanner => ../..
