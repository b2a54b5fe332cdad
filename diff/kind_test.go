package diff_test

import (
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/diff"
)

func TestKindOf(t *testing.T) {
	for kind, paths := range map[diff.Kind]string{
		diff.KindProduct: `main.go src/app.py latest/contest.rb attest.go testing.go spec.go api/testify.go SpecParser.java
			internal/protest/x.c src/main/java/App.java docker/Dockerfile requirements.txt doc_generator/run.py
			lib/mocha.js .github/workflows/tests.yml VendorController.java src/vendors/order.py internal/wiki.go config.yml .env cmd/test.go src/exampled.py index.html`,
		diff.KindTest: `a_test.go tests/x.py test/server/main.go src/test/java/App.java src/__tests__/a.ts user.spec.ts user_spec.rb
			App.Tests/Login.cs TestLogin.java LoginTests.cs HTTPTest.java conftest.py integration-tests/run.sh
			e2e/login.js spec/models/user.rb unitTests/a.swift vendor/x/test/a.c docs/tests/a.md test_app.py t/e2e/x.yml`,
		diff.KindFixture:       `testdata/key.pem tests/fixtures/a.json mocks/user.go mock_user.go src/__mocks__/a.ts a.fixture.ts test/testdata/x fake_client.py`,
		diff.KindVendored:      `vendor/x.go third_party/a.c 3rd-party/b.c lib/thirdparty/x.js static/jquery.js js/bootstrap-4.3.1.js js/d3.v3.5.js Pods/A.m app/node_modules/a/b.js`,
		diff.KindExample:       `examples/a.py sample-app/main.go .env.example config.sample.yml demo/index.php example.py src/demos/a.ts`,
		diff.KindDocumentation: `README.md docs/install.sh a/api-docs/x.js guide.rst documentation/x.py`,
	} {
		for path := range strings.FieldsSeq(paths) {
			if got := diff.KindOf(path); got != kind {
				t.Errorf("%s: got %q, want %q", path, got, kind)
			}
		}
	}
}

// A file is a test for what it imports only if it did so before the change.
func TestKindByContent(t *testing.T) {
	const line = "import pytest"
	loaded := diff.File{Path: "checks.py", Load: func() ([]byte, error) { return []byte(line + "\nx = 1\n"), nil }}
	for _, tt := range []struct {
		name string
		file diff.File
		want diff.Kind
	}{
		{"unchanged", changedFile(t, "@@ -1 +1,2 @@\n "+line+"\n+x = 1\n"), diff.KindTest},
		{"added", changedFile(t, "@@ -1 +1,2 @@\n-y = 1\n+"+line+"\n+x = 1\n"), diff.KindProduct},
		{"in other words", changedFile(t, "@@ -1 +1,2 @@\n from latest import unit\n+x = 1\n"), diff.KindProduct},
		{"whole file", loaded, diff.KindTest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := new(diff.Chunking).Plan(tt.file, nil).File.Kind; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func changedFile(t *testing.T, patch string) diff.File {
	t.Helper()
	hunks, err := diff.ParseHunks([]byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	return diff.File{Path: "checks.py", Hunks: hunks}
}
