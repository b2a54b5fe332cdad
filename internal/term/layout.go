package term

// Layout is how a run is shown. See [ChooseLayout].
type Layout struct {
	// interactive selects the sections for people over one line per message.
	interactive bool
	// color allows colors. Plain output never has any.
	color bool
	// live allows the area that is redrawn in place.
	live bool
	// width is the number of columns that text is wrapped to.
	width int
}

// The modes of color.
const (
	ColorAuto   = "auto"
	ColorAlways = "always"
	ColorNever  = "never"
)

const (
	defaultWidth = 80
	minWidth     = 40
	maxWidth     = 120
)

// TextLayout is that for people who read a file: sections without colors.
var TextLayout = Layout{interactive: true, width: defaultWidth}

// textWidth returns the width of text in a terminal of a width.
func textWidth(columns int) int { return min(max(columns, minWidth), maxWidth) }

// ChooseLayout returns the layout for a stream that is a terminal (tty) of a width
// in columns, 0 if it is unknown. The mode of color overrides the environment,
// which getenv reads: a person at this terminal knows better than what was
// exported for all of them.
func ChooseLayout(mode string, tty bool, width int, getenv func(string) string) Layout {
	term := getenv("TERM")
	capable := tty && term != "" && term != "dumb"
	force := getenv("FORCE_COLOR")
	forced := mode == ColorAlways ||
		mode != ColorNever && force != "" && force != "0" && force != "false"

	l := Layout{
		interactive: capable && getenv("CI") == "" || forced,
		width:       defaultWidth,
	}
	if width > 0 {
		l.width = textWidth(width)
	}
	l.live = l.interactive && capable
	switch {
	case !l.interactive || mode == ColorNever:
	case mode == ColorAlways:
		l.color = true
	default:
		l.color = getenv("NO_COLOR") == ""
	}
	return l
}
