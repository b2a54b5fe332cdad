package skills_test

import (
	"testing"

	"github.com/codescan-dev/scanner/skill/skilltest"
)

func TestHTTPTimeouts(t *testing.T) { skilltest.Run(t, "http-timeouts") }
