// Package config reads the environment into validated structs. Every variable has the prefix
// PALMARES_; secrets are redacted when printed, and may each be in a file, which the variable with _FILE at
// its end names.
//
// Begin with ReadServe; the other functions read what one command needs. The package opens no other file but
// the list of blocked domains: a value that only an engine can judge is judged where the engine is opened.
//
// Read days.go, secret.go and variables.go first: how values are read. config.go has the structs and what is wrong with
// their values; address.go, signup.go and stripe.go have more of some, oddities.go has what works and is hardly meant.
// settings.go shows how everything is set.
package config
