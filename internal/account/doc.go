// Package account says who may call the service and how much: accounts, plans with their limits,
// and API keys; and how people sign in.
//
// Service holds the use cases. Each method takes an Actor, the account or operator who is acting,
// and treats what belongs to another account as if it did not exist. SignIns holds those of signing
// in, where nobody is known yet. Storage is behind the interfaces Store, KeyStore and SignInStore.
//
// The package says what is so and who may change it. It sends no mail, writes no SQL and knows no request:
// those who do call it. EmailChanges changes an account's address, DeletionNotices sends the last mail of a deleted account.
//
// Begin with Service. Read the files in this order:
//
//   - plan.go, language.go, account.go, session.go, key.go, rotation.go, active.go: the types
//   - livekey.go: keys as nodes hold them in memory
//   - activity.go, emailchange.go, export.go: what owners see of their account
//   - signinlimits.go, signinkeys.go: what anybody can have sent, and the hashes by which it is counted
//   - actor.go, limit.go, store.go, secrets.go, service.go, settings.go, keyservice.go: Service
//   - signin.go, signins.go, signinmail.go, signinredeem.go, signinlink.go: signing in
//   - notice.go, unsubscribe.go, notices.go: the mail about quotas
//   - emailchanges.go, deletion.go: what goes by mail
//   - tidy.go: deleting what is old
package account
