// Package config reads the environment into validated structs. Every variable has the prefix PALMARES_. Secrets
// are redacted when printed. Each can also come from a file, named by the variable with the suffix _FILE.
//
// Begin with ReadServe; the other functions read what a single command needs. Besides those files, the package
// opens only the list of blocked domains. It connects to no engine: the packages that connect check the rest of
// their settings.
//
//   - secret.go, variables.go: how values are read
//   - config.go: the structs, and their validation
//   - address.go, publisher.go, signup.go, stripe.go: more validation of some of them
//   - settings.go: all settings, for operators to see, and warnings about odd ones
package config
