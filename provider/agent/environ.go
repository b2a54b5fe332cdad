package agent

import (
	"path"
	"runtime"
	"slices"
	"strings"
)

// common are the variables that any program may need: paths, the language, access
// to the network. A "*" in a name is for any characters.
var common = []string{
	"HOME", "PATH", "USER", "LOGNAME", "SHELL", "TERM", "TZ", "LANG", "LANGUAGE", "LC_*", "XDG_*",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
	// Certificates of networks that inspect their traffic: paths and switches.
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "NODE_USE_SYSTEM_CA", "NODE_USE_ENV_PROXY",
	"NODE_TLS_REJECT_UNAUTHORIZED", "NODE_OPTIONS",
	"DBUS_SESSION_BUS_ADDRESS",                                             // for the keyring that holds sessions
	"VOLTA_HOME", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "N_PREFIX", // for starting Node.js
}

// windows are the variables that programs on Windows need.
var windows = []string{
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "OS", "PROCESSOR_ARCHITECTURE", "NUMBER_OF_PROCESSORS",
	"USERPROFILE", "USERNAME", "USERDOMAIN", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA",
	"PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432", "COMMONPROGRAMFILES",
}

// Environment returns the variables of env that the agent with the given name gets:
// the common ones, its own, and those that allow lists, where a name that ends in
// "*" is a prefix.
//
// The agent's own credentials are among them, since they are its login on machines
// where no person can log in: ANTHROPIC_API_KEY for claude, and otherwise only for
// opencode, which talks to any vendor. Unless allow lists them, no agent gets the
// variables of scanner (SCANNER_*), of code hosts (GITHUB_*, GH_*), or the keys of
// clouds.
func Environment(name string, env []string, allow ...string) []string {
	allowed := slices.Concat(common, allow)
	if runtime.GOOS == "windows" {
		allowed = slices.Concat(allowed, windows)
	}
	for _, p := range profiles {
		if p.name == name {
			allowed = slices.Concat(allowed, p.env)
		}
	}
	var chosen []string
	for _, entry := range env {
		if name, _, ok := strings.Cut(entry, "="); ok && name != "" && matchVariable(allowed, name) {
			chosen = append(chosen, entry)
		}
	}
	return chosen
}

// getenv returns the last value of a variable; empty if it is not set.
func getenv(env []string, name string) (value string) {
	for _, entry := range env {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}

// matchVariable reports whether one of the patterns matches name.
func matchVariable(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if runtime.GOOS == "windows" {
			pattern, name = strings.ToUpper(pattern), strings.ToUpper(name)
		}
		match, err := path.Match(pattern, name)
		return err == nil && match
	})
}

// secrets returns the values of variables that look like credentials. They are
// removed from every error, also if the agent did not get them.
func secrets(env []string) []string {
	var values []string
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		name = strings.ToUpper(name)
		for _, part := range []string{"KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL", "AUTH"} {
			if strings.Contains(name, part) && len(value) >= 8 && !strings.HasPrefix(value, "/") {
				values = append(values, value)
				break
			}
		}
	}
	return values
}
