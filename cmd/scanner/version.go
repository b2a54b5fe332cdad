package main

// version is the semantic version of this build. A release overrides it with
// -ldflags "-X main.version=1.2.3".
var version = "0.1.0"
