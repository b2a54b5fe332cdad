package main

const appDescription = `scanner splits changed code into chunks, has a language model and the patterns
of a skill look at each, and reports what they find.

  scanner scan                  uncommitted changes
  scanner scan --base=main      what this branch changed
  scanner scan --offline        without a model, needs no key

scanner scan --help tells all about it.`

const scanDescription = `Scans uncommitted changes (staged, unstaged and new files) unless a flag says
otherwise. Paths, files or folders, limit the scan. Flags may stand after paths.`

// scanHelp follows the list of flags.
const scanHelp = `EXAMPLES:
   scanner scan                              uncommitted changes
   scanner scan src/ --base=origin/main      what this branch changed below src
   scanner scan --staged --offline -q        in a pre-commit hook, without a model
   scanner scan --all --skill=security-review --fail-on=high
   git diff v1 v2 | scanner scan --diff-file=-
   scanner scan --output=- | jq .summary
   scanner scan --fix=ask                    ask about each suggested fix
   scanner scan --fix --fix-check='make test'  apply those that break nothing
   scanner scan --fix --dry-run | git apply --check

EXIT CODES:
   0    everything was analyzed, nothing at or above --fail-on
   1    findings at or above --fail-on, those that --fix fixed left out
   2    wrong usage or configuration
   3    the run could not be done (credentials, git, no repository), or fixes
        could not be written
   4    incomplete: chunks failed, or a limit ended the run
   130  interrupted

ENVIRONMENT:
   SCANNER_PROVIDER_API_KEY   key of an OpenAI-compatible API
   SCANNER_PROVIDER_BASE_URL  URL of that API (default: the public OpenAI endpoint)
   SCANNER_MODEL              model to ask; --model goes before it
   SCANNER_AGENT              agent CLI to ask: claude, codex, gemini or opencode. Without
                              it one on the PATH is asked if there is no key
   XDG_CONFIG_HOME            folder of your own scanner/config.toml
   XDG_CACHE_HOME             folder of scanner/answers, so that nothing is asked twice
   HTTPS_PROXY, NO_PROXY      proxy for the API
   CI, TERM, NO_COLOR, FORCE_COLOR   as elsewhere; --color goes before them

FILES:
   scanner.toml               configuration, at the root of the repository
   .scanner/skills            skills of the repository
   .scanner/logs              a log of every run, as JSON Lines
   .scanner/fixes             patches of what --fix changed, for git apply -R
`
