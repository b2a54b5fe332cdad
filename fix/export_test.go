package fix

// BeforeRename returns options with a function that is called before each file
// is replaced. An error of it ends the application.
func (o Options) BeforeRename(f func(path string) error) Options {
	o.beforeRename = f
	return o
}
