package main

const appDescription = `scanner splits changed code into chunks, has a language model and the patterns
of a skill look at each, and reports what they find.

  scanner scan                  uncommitted changes
  scanner scan --base=main      what this branch changed
  scanner scan --offline        without a model, needs no key
  scanner action                the pull request of a workflow, with comments

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

const actionDescription = `Reviews the pull request of a workflow: reads its event, scans what it changes,
and posts inline comments, a summary comment and a check run for each skill. A
second run on the same commit posts nothing, and asks no model.

scanner.toml, skills and attributes come from the base of the pull request, so
that it cannot decide about its own review. The repository must be checked out
with its history (fetch-depth: 0). For a schedule, or started by hand, it scans
whole files below the paths of the skills with a schedule trigger.`

// actionHelp follows the list of flags.
const actionHelp = `EXIT CODES:
   0    everything was analyzed, nothing at or above --fail-on
   1    findings at or above --fail-on
   2    wrong usage or configuration
   3    the run could not be done (credentials, git, code host), or the pull
        request has moved on
   4    incomplete: chunks failed, or a limit ended the run
   130  interrupted

ENVIRONMENT:
   GITHUB_TOKEN               token of the workflow, with the permissions contents: read,
                              pull-requests: write and checks: write
   GITHUB_EVENT_NAME, GITHUB_EVENT_PATH, GITHUB_REPOSITORY, GITHUB_API_URL,
   GITHUB_GRAPHQL_URL, GITHUB_SERVER_URL, GITHUB_RUN_ID   what the runner sets
   GITHUB_STEP_SUMMARY        file that the job summary is added to
   GITHUB_OUTPUT              file that findings-count, high-count and report-path are
                              added to

   Models are chosen as scanner scan --help says. A pull request from a fork, whose
   workflow gets no key, is looked at with the patterns of the skills alone; where
   the token may only read, findings become annotations of the workflow run.
`

const postDescription = `Posts the log of a run on the pull request that started it: the second half of a
workflow for forks, in which the first half has no permissions. Whoever opened the
pull request could have written the log, so it is checked against the pull request,
and what is posted says that it is unverified. It never requests changes, passes or
fails a check, and resolves and dismisses nothing.`

// postHelp follows the list of flags.
const postHelp = `EXIT CODES:
   0    posted, or there was nothing to post
   2    wrong usage, or the file is not a log
   3    it could not be posted, or the pull request has moved on
   130  interrupted

ENVIRONMENT:
   GITHUB_TOKEN               token of the workflow, with the permissions
                              pull-requests: write and checks: write
   GITHUB_EVENT_NAME, GITHUB_EVENT_PATH, GITHUB_API_URL, GITHUB_GRAPHQL_URL,
   GITHUB_SERVER_URL, GITHUB_RUN_ID   what the runner sets; the event is workflow_run
   GITHUB_STEP_SUMMARY        file that the job summary is added to
   GITHUB_OUTPUT              file that findings-count, high-count and report-path are
                              added to
`
