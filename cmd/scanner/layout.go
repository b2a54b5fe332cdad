package main

// layout says how a run is shown.
type layout struct {
	// interactive selects the sections for people over one line per message.
	interactive bool
	// color allows colors. Plain output never has any.
	color bool
	// live allows the status line that is redrawn in place.
	live bool
	// width is the number of columns that text is wrapped to.
	width int
}

// layoutInput is everything the layout depends on.
type layoutInput struct {
	mode   string // --color: auto, always or never
	tty    bool   // the stream is a terminal
	width  int    // of the terminal; 0 if unknown
	getenv func(string) string
}

const (
	colorAuto   = "auto"
	colorAlways = "always"
	colorNever  = "never"

	defaultWidth = 80
	minWidth     = 40
	maxWidth     = 120
)

// chooseLayout decides on the layout. The flag beats the environment: a person
// at this terminal knows better than what was exported for all of them.
func chooseLayout(in layoutInput) layout {
	term := in.getenv("TERM")
	capable := in.tty && term != "" && term != "dumb"
	force := in.getenv("FORCE_COLOR")
	forced := in.mode == colorAlways ||
		in.mode != colorNever && force != "" && force != "0" && force != "false"

	l := layout{
		interactive: capable && in.getenv("CI") == "" || forced,
		width:       defaultWidth,
	}
	if in.width > 0 {
		l.width = min(max(in.width, minWidth), maxWidth)
	}
	l.live = l.interactive && capable
	switch {
	case !l.interactive || in.mode == colorNever:
	case in.mode == colorAlways:
		l.color = true
	default:
		l.color = in.getenv("NO_COLOR") == ""
	}
	return l
}
