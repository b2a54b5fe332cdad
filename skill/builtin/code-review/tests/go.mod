// Fixtures are data. A module of their own keeps them out of the packages of this one.
module github.com/codescan-dev/scanner/skill/builtin/code-review/tests

go 1.26.0
