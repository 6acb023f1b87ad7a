// Package config reads the environment into validated structs. Every variable has the prefix PALMARES_.
// Secrets are redacted when printed, and each may be in a file named by the variable with _FILE at its
// end.
//
// Begin with ReadServe; the other functions read what one command needs. The package opens no other file
// than the list of blocked domains, and no engine: those check their own settings when they connect.
//
//   - secret.go, variables.go: how values are read
//   - config.go: the structs, and what is wrong with their values
//   - address.go, publisher.go, signup.go, stripe.go: more of that for some of them
//   - settings.go: every setting for operators to see, and those that are hardly meant
package config
