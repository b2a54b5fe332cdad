package term

import "testing"

func TestChooseLayout(t *testing.T) {
	const w = defaultWidth
	var (
		plain   = Layout{width: w}
		full    = Layout{interactive: true, color: true, live: true, width: w}
		noColor = Layout{interactive: true, live: true, width: w}
		piped   = Layout{interactive: true, color: true, width: w}
	)
	type env = map[string]string
	for _, tt := range []struct {
		name string
		mode string
		tty  bool
		env  env
		want Layout
	}{
		{"terminal", "auto", true, env{"TERM": "xterm"}, full},
		{"pipe", "auto", false, env{"TERM": "xterm"}, plain},
		{"dumb terminal", "auto", true, env{"TERM": "dumb"}, plain},
		{"terminal without TERM", "auto", true, env{}, plain},
		{"CI", "auto", true, env{"TERM": "xterm", "CI": "true"}, plain},
		{"CI set to anything", "auto", true, env{"TERM": "xterm", "CI": "0"}, plain},
		{"CI empty", "auto", true, env{"TERM": "xterm", "CI": ""}, full},
		{"NO_COLOR", "auto", true, env{"TERM": "xterm", "NO_COLOR": "1"}, noColor},
		{"NO_COLOR empty", "auto", true, env{"TERM": "xterm", "NO_COLOR": ""}, full},
		{"NO_COLOR in a pipe", "auto", false, env{"NO_COLOR": "1"}, plain},
		{"FORCE_COLOR in a pipe", "auto", false, env{"FORCE_COLOR": "1"}, piped},
		{"FORCE_COLOR in CI", "auto", false, env{"FORCE_COLOR": "1", "CI": "1"}, piped},
		{"FORCE_COLOR in CI with a terminal", "auto", true, env{"TERM": "xterm", "FORCE_COLOR": "1", "CI": "1"}, full},
		{"FORCE_COLOR on a dumb terminal", "auto", true, env{"TERM": "dumb", "FORCE_COLOR": "1"}, piped},
		{"FORCE_COLOR=0", "auto", false, env{"FORCE_COLOR": "0"}, plain},
		{"FORCE_COLOR=false", "auto", false, env{"FORCE_COLOR": "false"}, plain},
		{"FORCE_COLOR and NO_COLOR", "auto", false, env{"FORCE_COLOR": "1", "NO_COLOR": "1"}, Layout{interactive: true, width: w}},
		{"always in a pipe", "always", false, env{}, piped},
		{"always in CI", "always", false, env{"CI": "1"}, piped},
		{"always overrides NO_COLOR", "always", true, env{"TERM": "xterm", "NO_COLOR": "1"}, full},
		{"always on a dumb terminal", "always", true, env{"TERM": "dumb"}, piped},
		{"never on a terminal", "never", true, env{"TERM": "xterm"}, noColor},
		{"never in a pipe", "never", false, env{}, plain},
		{"never overrides FORCE_COLOR", "never", false, env{"FORCE_COLOR": "1"}, plain},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ChooseLayout(tt.mode, tt.tty, 0, func(k string) string { return tt.env[k] })
			if got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestChooseLayoutWidth(t *testing.T) {
	for in, want := range map[int]int{0: 80, 10: 40, 72: 72, 120: 120, 400: 120} {
		got := ChooseLayout(ColorAuto, true, in, func(string) string { return "" }).width
		if got != want {
			t.Errorf("a terminal of %d columns: wrapped to %d, want %d", in, got, want)
		}
	}
}
