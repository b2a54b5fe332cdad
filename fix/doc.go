// Package fix plans suggested fixes and applies them safely.
package fix
