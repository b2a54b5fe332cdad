package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/provider"
)

// route is where the user's own set-up of a CLI sends requests: what a run must pass
// on of it, since the run is isolated from it. Code must not go to another place than
// the CLI would send it to when the user runs it.
type route struct {
	env   []string // what the CLI gets of the caller's environment
	names []string // of variables that its configuration names
	vars  []string // variables that its configuration sets, in the form NAME=value
	// cloud is the name of the cloud of the profile that the configuration selects.
	cloud string
	model string // that the configuration selects; not of opencode
	// baseURL is the address of the API that the configuration of codex selects.
	baseURL string
	files   []string // of the configuration, whether they exist or not

	settings   map[string]json.RawMessage // of claude
	args       []string                   // of codex
	config     map[string]any             // of opencode, from a variable
	configured bool                       // for opencode: there is a provider, or a login
	noModel    error                      // for opencode: why it must not choose a model
}

// cloud is a way to models with the credentials of a cloud.
type cloud struct {
	name string
	on   string   // the pattern of the variables that select it
	vars []string // the patterns of the other variables that it reads
}

var (
	amazonVars    = []string{"AWS_*"}
	googleVars    = []string{"GOOGLE_*", "CLOUDSDK_*", "CLOUD_ML_REGION", "GCLOUD_PROJECT", "VERTEX_*"}
	microsoftVars = []string{"AZURE_*"}
)

// newRoute returns the route of a CLI. The error is a *[provider.Error] of
// [provider.KindInvalid] if a run would not take it.
func (p profile) newRoute(cfg Config) (*route, error) {
	r := &route{env: Environment(p.name, cfg.Env, cfg.AllowEnv...)}
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"} {
		if path := getenv(r.env, name); path != "" && !filepath.IsAbs(path) {
			return nil, refuse(fmt.Sprintf("%s would not find its configuration: %s is %q, and it runs in another directory", p.name, name, path),
				"make it an absolute path")
		}
	}
	if !filepath.IsAbs(homeDir(r.env)) {
		// It finds the user's home directory by itself, but then gets none of the
		// configuration there.
		return nil, refuse(p.name+" would not find its configuration: the environment has no home directory", "set HOME")
	}
	if err := p.route(r, cfg); err != nil {
		return nil, err
	}
	r.env = Environment(p.name, cfg.Env, slices.Concat(cfg.AllowEnv, r.names)...)
	for _, c := range p.clouds {
		if err := r.checkCloud(p.name, c, cfg); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// host returns the host that requests are sent to, if the user named one.
func (r *route) host(p profile) string {
	vars := slices.Concat(r.env, r.vars)
	for _, entry := range vars {
		name, value, _ := strings.Cut(entry, "=")
		if value != "" && slices.ContainsFunc(p.clouds, func(c cloud) bool { return matchVariable([]string{c.on}, name) }) {
			return "" // that of a cloud
		}
	}
	u, err := url.Parse(cmp.Or(r.baseURL, getenv(vars, p.baseURL)))
	if err != nil {
		return ""
	}
	return u.Host
}

// checkCloud returns an error if the CLI would use a cloud when the user runs it, and
// does not get a variable that decides about that or about the account.
func (r *route) checkCloud(name string, c cloud, cfg Config) error {
	reads, gets := slices.Concat(cfg.Env, r.vars), slices.Concat(r.env, r.vars)
	on := r.cloud == c.name
	var missing []string
	for _, entry := range reads {
		v, _, _ := strings.Cut(entry, "=")
		value := getenv(reads, v)
		selects := c.on != "" && matchVariable([]string{c.on}, v) && !slices.Contains([]string{"", "0", "false", "no", "off"}, strings.ToLower(value))
		on = on || selects
		needs := selects || value != "" && matchVariable(c.vars, v) && !strings.HasPrefix(v, "SCANNER_")
		if needs && getenv(gets, v) == "" {
			missing = append(missing, v)
		}
	}
	if !on || len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	missing = slices.Compact(missing)
	list, err := json.Marshal(slices.Concat(cfg.AllowEnv, missing))
	if err != nil {
		return err
	}
	return refuse(
		fmt.Sprintf("%s is set up for %s, but does not get %s: code would go elsewhere", name, c.name, strings.Join(missing, ", ")),
		"write into your own file, $XDG_CONFIG_HOME/scanner/config.toml: provider.agentEnv = "+string(list),
	)
}

// refuse returns the error for a set-up that a run would not honor.
func refuse(message, hint string) error {
	return &provider.Error{Kind: provider.KindInvalid, Message: message, Hint: hint, Final: true}
}

// readUserFile returns the contents of a configuration file of the CLI; nil if there
// is none. It must be readable: otherwise requests go where the file does not say.
func (r *route) readUserFile(name string, path ...string) ([]byte, error) {
	file := filepath.Join(path...)
	if !filepath.IsAbs(file) {
		return nil, nil
	}
	r.files = append(r.files, file)
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, badUserFile(name, file, err)
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), nil
}

// badUserFile is the error for a configuration file that cannot be honored.
func badUserFile(name, file string, err error) error {
	return refuse(fmt.Sprintf("%s cannot be run with your configuration %q: %v", name, file, err),
		"correct the file; it decides where "+name+" sends code")
}

// homeDir returns the user's home directory; empty if there is none.
func homeDir(env []string) string {
	if runtime.GOOS == "windows" {
		return getenv(env, "USERPROFILE")
	}
	return getenv(env, "HOME")
}

// jsonExtra finds strings, comments, and commas before a closing bracket.
var jsonExtra = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|//[^\n]*|(?s:/\*.*?\*/)|,(?:\s|//[^\n]*|(?s:/\*.*?\*/))*[}\]]`)

// plainJSON returns JSON without the comments and the commas before a closing bracket
// that some CLIs allow in their configuration.
func plainJSON(data []byte) []byte {
	return jsonExtra.ReplaceAllFunc(data, func(part []byte) []byte {
		switch part[0] {
		case '"':
			return part
		case ',':
			return part[len(part)-1:]
		default:
			return []byte(" ")
		}
	})
}
