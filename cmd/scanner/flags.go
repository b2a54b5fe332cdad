package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/codescan-dev/scanner/output"
)

// The categories of flags.
const (
	what    = "Changes to scan"
	how     = "How to analyze them"
	posting = "On the code host"
	results = "Results to report"
	fixes   = "Suggested fixes"
	show    = "Terminal output"
)

func boolFlag(category, name, usage string) cli.Flag {
	return &cli.BoolFlag{Category: category, Name: name, Usage: usage}
}

func stringFlag(category, name, usage string) cli.Flag {
	return &cli.StringFlag{Category: category, Name: name, Usage: usage}
}

// changeFlags are those that choose what is scanned.
func changeFlags() []cli.Flag {
	return []cli.Flag{
		stringFlag(what, "base", "scan what changed since the merge base with `REF`"),
		stringFlag(what, "commit", "scan what the commit `REF` changed"),
		stringFlag(what, "range", "scan what changed in the commits `A..B`: from where B left A, up to B"),
		boolFlag(what, "staged", "scan what is staged for the next commit"),
		boolFlag(what, "all", "scan whole files, as if every line were new"),
	}
}

func scanFlags() []cli.Flag {
	return slices.Concat(changeFlags(), []cli.Flag{
		stringFlag(what, "diff-file", "scan the unified diff in `FILE` (- is standard input), without git"),
		stringFlag(how, "record", "keep every answer of the model in `DIR`, as files; the cache is not read"),
		stringFlag(how, "replay", "answer from the records in `DIR`: no model, no key, no cache"),
		boolFlag(how, "plan", "show what a run would send and cost, and send nothing"),
		boolFlag(how, "allow-agent-tools", "use an agent CLI even if its tools cannot be turned off"),
		configFlag(),

		boolFlag(fixes, "fix", "apply the suggested fixes (experimental)"),
		boolFlag(fixes, "dry-run", "with --fix: print the fixes as a patch for git apply, and change nothing"),
		&cli.StringSliceFlag{Category: fixes, Name: "fix-check", Usage: "with --fix: keep only fixes with which `COMMAND` passes (may be repeated)"},
	}, runFlags(scanSkill), showFlags())
}

func explainFlags() []cli.Flag {
	return append(slices.Concat(changeFlags(), modelFlags(scanSkill)), configFlag(),
		boolFlag(how, "offline", "call no model: run only the pattern rules of the skills"),
		&cli.StringFlag{Name: "finding", Usage: "explain the finding with this `ID`, or one that begins so"},
		&cli.StringFlag{Name: "log", Usage: "with --finding: of the log `FILE` instead of the latest one"},
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show what is sent of all chunks", Count: new(int)})
}

// scanSkill is the help of --skill in local runs.
const scanSkill = "run `SKILL`, a name, or a directory with a slash (may be repeated; default: those of scanner.toml, else code-review)"

func configFlag() cli.Flag {
	return stringFlag(how, "config", "read `FILE` instead of scanner.toml at the root of the repository")
}

func actionFlags() []cli.Flag {
	return slices.Concat(postFlags(), runFlags("of the skills that the event starts, run only `SKILL` (may be repeated; default: all of them)"), []cli.Flag{
		boolFlag(posting, "trust-head", "take scanner.toml, skills and attributes from the pull request instead of its base"),
	})
}

func postFlags() []cli.Flag {
	return append(showFlags(),
		boolFlag(posting, "dry-run", "print what would be posted, and post nothing"))
}

// runFlags are the flags of every command that scans. skill is the help of --skill.
func runFlags(skill string) []cli.Flag {
	return append([]cli.Flag{
		stringFlag(how, "shard", "scan only the part `I/N` of the files, such as 1/8; scanner merge makes one report of the parts"),
		boolFlag(how, "offline", "call no model: run only the pattern rules of the skills"),
		boolFlag(how, "no-cache", "read no answers from the cache; new ones replace those in it"),
		boolFlag(how, "verify", "get a second opinion of the model on each finding"),
		stringFlag(how, "timeout", "end the run after `DURATION`, such as 90s or 10m"),

		stringFlag(results, "baseline", "report only what is not in an earlier report, the JSON Lines in `FILE`"),
		outputFlag(),
	}, settingFlags(skill)...)
}

// modelFlags select skills and model. skill is the help of --skill.
func modelFlags(skill string) []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Category: how, Name: "skill", Usage: skill},
		stringFlag(how, "model", "use the model `NAME`"),
	}
}

// settingFlags are those that override settings.
func settingFlags(skill string) []cli.Flag {
	return slices.Concat(modelFlags(skill), []cli.Flag{
		stringFlag(how, "concurrency", "send at most `N` requests at a time (default: 8, with an agent CLI 4)"),
		stringFlag(how, "max-cost", "spend at most `AMOUNT` US dollars"),
		stringFlag(how, "max-tokens", "use at most `N` tokens, read and written"),
	}, thresholdFlags())
}

// thresholdFlags are those that decide which findings are reported.
func thresholdFlags() []cli.Flag {
	return []cli.Flag{
		stringFlag(results, "report-on", "hide findings below `SEVERITY`: high, medium, low; off hides all"),
		stringFlag(results, "min-confidence", "drop findings below `CONFIDENCE`: high, medium, low; off drops none"),
		stringFlag(results, "max-findings", "report at most `N` findings of each skill"),
		stringFlag(results, "fail-on", "exit with code 1 for findings at or above `SEVERITY`: high, medium, low; off never fails"),
	}
}

func ignoreFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "reason", Usage: "why it is fine; required, except with --list"},
		&cli.StringFlag{Name: "until", Usage: "the last `DAY` on which it is, such as 2027-01-31"},
		&cli.BoolFlag{Name: "list", Usage: "list all entries, also those that have expired or match nothing any more"},
	}
}

func yesFlag() cli.Flag { return boolFlag("", "yes", "write without a question") }

func outputFlag() cli.Flag {
	return &cli.StringSliceFlag{Category: results, Name: "output", Usage: "write the report to `[FORMAT:]FILE`, as JSON Lines or " +
		strings.Join(output.Formats(), ", ") + " (may be repeated; - is standard output)"}
}

func showFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Category: show, Name: "quiet", Aliases: []string{"q"}, Usage: "show only the final summary line", Count: new(int)},
		&cli.BoolFlag{Category: show, Name: "verbose", Aliases: []string{"v"}, Usage: "show every file and chunk; -vv adds prompts and answers", Count: new(int)},
		&cli.StringFlag{Category: show, Name: "color", Usage: "use colors `WHEN`: auto, always, never (default: auto)"},
	}
}
