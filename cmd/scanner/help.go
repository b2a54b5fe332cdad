package main

const appDescription = `scanner splits changed code into chunks, analyzes each with the skills' language
model prompts and pattern rules, and reports what it finds.

  scanner scan                  uncommitted changes
  scanner scan --base=main      changes of this branch
  scanner scan --offline        pattern rules only: no model, no key
  scanner action                the pull request of a workflow on GitHub or GitLab, with comments
  scanner scan --all --shard=1/8   one part of eight, for scanner merge

Run "scanner scan --help" for all options.`

const scanDescription = `Scans uncommitted changes (staged, unstaged and new files) by default. Paths of
files or directories limit the scan. Flags are also accepted after paths.`

// scanHelp follows the list of flags.
const scanHelp = `EXAMPLES:
   scanner scan                              uncommitted changes
   scanner scan src/ --base=origin/main      changes of this branch below src
   scanner scan --staged --offline -q        in a pre-commit hook, without a model
   scanner scan --all --skill=security-review --fail-on=high
   git diff v1 v2 | scanner scan --diff-file=-
   scanner scan --all --plan                 what that would send and cost
   scanner scan --output=- | jq .summary
   scanner scan --all --baseline=last.jsonl  only what is not in an earlier report
   scanner scan --fix --fix-check='make test'  apply the fixes that pass the tests
   scanner scan --fix --dry-run | git apply --check

EXIT CODES:
   0    everything was analyzed, nothing at or above --fail-on
   1    findings at or above --fail-on that --fix did not fix
   2    wrong usage or configuration
   3    the run could not be done (credentials, git, no repository), or fixes
        could not be written
   4    incomplete: chunks failed, or a limit ended the run
   130  interrupted, or the reader of the output went away

ENVIRONMENT:
   SCANNER_PROVIDER           vendor to use with its usual key:
                              openai     OPENAI_API_KEY, default model gpt-5-mini
                              anthropic  ANTHROPIC_API_KEY, claude-haiku-5-5
                              gemini     GEMINI_API_KEY, gemini-3.5-flash-lite
   SCANNER_AGENT              agent CLI to use: claude, codex, gemini or opencode
   SCANNER_PROVIDER_API_KEY   key to use instead; without a vendor, of an OpenAI-compatible
                              API. Without any of these, the first agent CLI on the PATH
   SCANNER_PROVIDER_BASE_URL  URL of the API (default: of the vendor, else of OpenAI)
   SCANNER_MODEL              default model; overridden by --model
   SCANNER_CACHE_URL          cache that a team shares, behind the local one; needs
                              SCANNER_CACHE_KEY, the secret that seals its entries;
                              SCANNER_CACHE_TOKEN is sent as bearer token
   XDG_CONFIG_HOME            parent of your own configuration (scanner/config.toml)
   XDG_CACHE_HOME             parent of the cache (scanner/answers); see scanner cache
   HTTPS_PROXY, NO_PROXY      proxy for the API
   CI, TERM, NO_COLOR, FORCE_COLOR   the usual conventions; --color overrides them

FILES:
   scanner.toml               configuration, at the root of the repository
   .scanner/skills            skills of the repository
   .scanner/ignore.toml       findings that people marked as fine; see scanner ignore
   .scanner/logs              a log of every run, as JSON Lines
   .scanner/fixes             patches of applied fixes, to undo with git apply -R
`

const actionDescription = `Reviews the pull request of a workflow of GitHub, or the merge request of a job of
GitLab: reads the event, scans the changes, and posts inline comments, a summary
comment and a check run (or commit status) for each skill. A second run on the same
commit posts nothing and calls no model.

scanner.toml, skills and attributes come from the base of the pull request, so
that the pull request cannot change how it is reviewed. The repository must be
checked out with its history (fetch-depth: 0, on GitLab GIT_DEPTH: 0). On a schedule,
or when started by hand, it scans whole files below the paths of the skills with a
schedule trigger; with --shard a part of them, and then it posts nothing: scanner
merge and scanner post do.`

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
   GITHUB_GRAPHQL_URL, GITHUB_SERVER_URL   set by the runner
   GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT       set by the runner; the traceId of the log
   GITHUB_STEP_SUMMARY        file to append the job summary to
   GITHUB_OUTPUT              file to append findings-count, high-count and report-path to

   In a job of GitLab (GITLAB_CI=true) instead:
   SCANNER_GITLAB_TOKEN       access token with the role Developer and the scope api; else
                              GITLAB_TOKEN. CI_JOB_TOKEN cannot comment
   SCANNER_DOTENV_FILE        file in the working directory for a dotenv report, with
                              SCANNER_FINDINGS_COUNT, SCANNER_HIGH_COUNT and
                              SCANNER_REPORT_PATH
   CI_API_V4_URL, CI_SERVER_URL, CI_SERVER_TLS_CA_FILE, CI_PIPELINE_SOURCE, CI_PROJECT_PATH,
   CI_COMMIT_SHA, CI_MERGE_REQUEST_* and others   set by GitLab

   The model is selected as in scanner scan. The workflow of a pull request from a
   fork gets no key: only pattern rules run. If its token can only read, findings
   become annotations of the workflow run.
`

const mergeDescription = `Makes one report of the logs of a run that was spread over several machines with
--shard: similar findings are merged, and the thresholds applied, that the parts have
recorded. The report is that of a run of one part. Logs of different commits, settings or
workflow runs are refused.`

// mergeHelp follows the list of flags.
const mergeHelp = `EXAMPLES:
   scanner scan --all --shard=1/2 --output=1.jsonl
   scanner scan --all --shard=2/2 --output=2.jsonl
   scanner merge --output=report.jsonl 1.jsonl 2.jsonl

EXIT CODES:
   0    everything was analyzed, nothing at or above --fail-on of the parts
   1    findings at or above it
   2    wrong usage, or the files are not logs of different parts of one run
   3    the report could not be written
   4    incomplete: a part is missing, chunks failed, or a limit ended the run
   130  interrupted
`

const reportDescription = `Shows the result of a finished run again, without a model: on the terminal, and with
--output in any format. The thresholds are those of the run, where flags do not override
them; findings that they hid then are not in the log, only counted.`

// reportHelp follows the list of flags.
const reportHelp = `EXAMPLES:
   scanner report --output=html:report.html .scanner/logs/LOG.jsonl
   scanner report --output=sarif:- LOG.jsonl >scanner.sarif

EXIT CODES:
   0    everything was analyzed, nothing at or above --fail-on
   1    findings at or above it
   2    wrong usage, or the file is not the log of a run
   3    the report could not be written
   4    incomplete: chunks failed, or the run was cut short
   130  interrupted
`

const postDescription = `Posts the log of a run on the pull request that started it. This is the second half
of a workflow for forks, whose first half has no permissions. The author of the pull
request could have written the log, so it is checked against the pull request and
posted as unverified. It never requests changes, passes or fails a check, resolves a
thread or dismisses a review.

On a schedule, or when started by hand, it posts the report of scanner merge as that of
a scan of the workflow's commit.`

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
   GITHUB_SERVER_URL, GITHUB_RUN_ID, GITHUB_SHA   set by the runner
   GITHUB_STEP_SUMMARY        file to append the job summary to
   GITHUB_OUTPUT              file to append findings-count, high-count and report-path to
   In a job of GitLab, those of scanner action.
`

const ignoreDescription = `Marks a finding of the latest run as fine: it is added to .scanner/ignore.toml with the
reason, and is not reported any more, nor counted for thresholds and limits. It is
recognized when its line moves, its file is renamed, or a model words it differently.
Commit the file: on a pull request, that of the base applies.

The ids of findings are in the report (-v), the log and comments. --list shows all
entries; those that have expired, or whose code is gone, can be deleted.`

const cacheDescription = `Prints where the answers of models are kept, how much space they take, and how old
they are; "scanner cache clean" deletes all of them. cache.maxSize ("1 GiB") and
cache.maxAge ("30d") in your own configuration file bound the cache: after a run, the
least recently used answers are deleted first.`
