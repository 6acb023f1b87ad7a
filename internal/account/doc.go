// Package account says who may call the service and how much: accounts, plans with their limits,
// and API keys.
//
// Service holds the use cases. Each method takes an Actor, the account or operator who is acting,
// and treats what belongs to another account as if it did not exist. Storage is behind the Store
// interface.
//
// Read plan.go, language.go, account.go, key.go and rotation.go for the types, livekey.go for keys
// as nodes hold them in memory, activity.go for what owners see of their account, then actor.go,
// store.go, service.go, settings.go and keyservice.go.
package account
