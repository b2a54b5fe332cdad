package gate

import (
	"testing"

	"github.com/codescan-dev/scanner/skill/skilltest"
)

// TestSkill tests a skill with its fixtures.
func TestSkill(t *testing.T) { skilltest.Run(t, "../../skills/http-timeouts") }
