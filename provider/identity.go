package provider

// Identity is what is known of a [Provider] before it answers. In records it has no
// model, which they hold elsewhere.
type Identity struct {
	// Name is that of the API or of the program, such as "openai" or "claude".
	Name string `json:"name"`
	// Host is the host that requests are sent to, with its port if it has one; empty
	// if only the program knows.
	Host string `json:"host,omitempty"`
	// Model is the model that requests without one are for; empty if it is unknown.
	Model string `json:"-"`
}

// Identifier is implemented by providers that know who answers.
type Identifier interface{ Identity() Identity }

// Identify returns the identity of p; it is zero if p is not an [Identifier].
func Identify(p Provider) Identity {
	if i, ok := p.(Identifier); ok {
		return i.Identity()
	}
	return Identity{}
}

// String writes what is known: "openai, gpt-5-mini at api.openai.com", "claude".
func (i Identity) String() string {
	s := i.Name
	if s != "" && i.Model != "" {
		s += ", "
	}
	s += i.Model
	if i.Host != "" {
		s += " at " + i.Host
	}
	return s
}
