package diff

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// IsCredentialFile reports whether a path names a file that usually holds
// passwords, tokens or private keys. Only the name decides, in any case:
//
//   - files of tools and kinds of keys: ".env", "id_rsa", "server.key",
//     ".aws/credentials", and all that is below ".ssh" and the like;
//   - files of data, or without an extension, whose names end with a word for
//     credentials or begin with it: "github_token.txt", "secrets.prod.yaml";
//   - files of data below a directory "secrets".
//
// Public keys, source code about credentials ("credentials.go"), templates without
// values (".env.example"), translations and scripts are not credential files. A
// backup of a credential file (".netrc~", "server.key.bak") is one.
//
// The contents of such a file must not leave the machine.
func IsCredentialFile(name string) bool {
	ok, _ := isCredentialFile(name)
	return ok
}

// MayBePublic reports whether a credential file has a name that is also common for
// files without a secret, such as certificates and ".npmrc".
func MayBePublic(name string) bool {
	_, ok := publicTable.match(strings.ToLower(withoutBackup(name)))
	return ok
}

// isCredentialFile is IsCredentialFile. byWords means that no more is known than words
// of the name.
func isCredentialFile(name string) (ok, byWords bool) {
	written := withoutBackup(name)
	name = strings.ToLower(written)
	dir, base := path.Split(name)
	ext := path.Ext(base)
	if ext == base { // ".secrets"
		ext = ""
	}
	isData := slices.Contains(dataExtensions, ext)
	if ext == ".pub" || !isData && slices.Contains(sourceExtensions, ext) {
		return false, false
	}
	words := appendWords(nil, path.Base(written))
	if isTemplate(words, isData || ext == ".env") {
		return false, false
	}
	if _, ok := credentialTable.match(name); ok || isDotenv(base, isData && ext != "" && ext != ".txt") {
		return true, false
	}
	if isData && ext != "" {
		words = words[:max(len(words)-1, 0)]
	}
	ok = !isAboutOthers(dir, base, ext) && (isData && isBelowSecrets(dir) || announcesCredentials(words, ext, isData))
	return ok, ok
}

// withoutBackup returns a name without what editors and people append to that of a
// file to keep its old contents, and without blanks at its end.
func withoutBackup(name string) string {
	for {
		ext := strings.ToLower(path.Ext(name))
		trimmed := strings.TrimRight(name, "~. \t\r\n")
		if slices.Contains(backupExtensions, ext) || len(ext) > 1 && strings.Trim(ext, ".0123456789") == "" {
			trimmed = name[:len(name)-len(ext)]
		}
		if dir, base := path.Split(trimmed); strings.HasPrefix(base, "#") && strings.HasSuffix(base, "#") && len(base) > 2 {
			trimmed = dir + base[1:len(base)-1]
		}
		if trimmed == name {
			return name
		}
		name = trimmed
	}
}

// appendWords appends the words of a name in lower case. A word begins after what is neither
// a letter nor a digit, and in the middle of "apiKey" and "APIKey".
func appendWords(words []string, name string) []string {
	begin := -1 // of the word; negative if there is none
	end := func(i int) {
		if begin >= 0 && begin < i {
			words = append(words, strings.ToLower(name[begin:i]))
		}
	}
	var last rune
	at := 0 // where last is
	for i, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end(i)
			begin = -1
		case begin < 0:
			begin = i
		case unicode.IsUpper(r) && (unicode.IsLower(last) || unicode.IsDigit(last)):
			end(i)
			begin = i
		case unicode.IsLower(r) && unicode.IsUpper(last):
			end(at)
			begin = at
		}
		last, at = r, i
	}
	end(len(name))
	return words
}

// isTemplate reports whether a name is that of an example: its last word, or the
// one before the extension if that is an extension of data, is such as "example".
// The first label of "example.com.key" does not make it one.
func isTemplate(words []string, isData bool) bool {
	n := len(words)
	return n > 0 && slices.Contains(templateWords, words[n-1]) ||
		n > 1 && isData && slices.Contains(templateWords, words[n-2])
}

// isDotenv reports whether a name is that of a file of environment variables:
// ".env", also with anything after it, or "env" between dots ("prod.env",
// "env.local") if the file is not of another format.
func isDotenv(base string, otherFormat bool) bool {
	if rest, ok := strings.CutPrefix(base, ".env"); ok {
		rest = strings.TrimPrefix(rest, "rc")
		return rest == "" || !('a' <= rest[0] && rest[0] <= 'z')
	}
	labels := strings.Split(base, ".")
	return !otherFormat && (slices.Contains(labels, "env") || slices.Contains(labels, "envrc"))
}

// isAboutOthers reports whether files of a directory only refer to credentials:
// workflows, templates of charts, translations, schemas. Files without an extension
// are scripts where programs are.
func isAboutOthers(dir, base, ext string) bool {
	return slices.Contains(sourceNames, base) || slices.Contains(projectNames, base) ||
		slices.ContainsFunc(strings.Split(dir, "/"), func(e string) bool {
			return slices.Contains(otherDirs, e) || ext == "" && slices.Contains(programDirs, e)
		})
}

// isBelowSecrets reports whether a directory is for secrets, and not for code about
// them.
func isBelowSecrets(dir string) bool {
	elements := strings.Split(dir, "/")
	return slices.Contains(elements, "secrets") &&
		!slices.ContainsFunc(elements, func(e string) bool { return slices.Contains(codeDirs, e) })
}

// announcesCredentials reports whether words of a name are about credentials: at
// its end, or in a file of data also at its beginning or before a number.
func announcesCredentials(words []string, ext string, isData bool) bool {
	if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(aboutWords, w) }) {
		return false
	}
	for i := range words {
		for end := i + 1; end <= min(i+2, len(words)); end++ {
			last, first := end == len(words), i == 0
			numbered := !last && '0' <= words[end][0] && words[end][0] <= '9'
			switch noun := strings.TrimRight(strings.Join(words[i:end], ""), "0123456789"); {
			case noun == "tokens" && len(words) > 1: // of a design, a model
			case noun == "token" && !last && !numbered:
			case noun == "auth" && len(words) == 1 && (ext == ".json" || ext == ".txt"):
				return true
			case strings.HasPrefix(noun, "service") && ext != ".json": // an account of a cluster, without its key
			case slices.Contains(weakNouns, noun):
				if last && (!isData || ext == "" || ext == ".txt" || ext == ".json") {
					return true
				}
			case slices.Contains(credentialNouns, noun), slices.Contains(credentialNouns, strings.TrimSuffix(noun, "s")):
				if last || isData && (first || numbered) {
					return true
				}
			}
		}
	}
	return false
}
