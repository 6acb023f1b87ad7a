// Package account says who may call the service and how much: accounts, plans with their limits, API
// keys, and how people sign in.
//
// Service holds the use cases. Each method takes an Actor, the account or operator who is acting, and
// treats what belongs to another account as if it did not exist. SignIns holds the use cases of signing in,
// where there is no actor yet. EmailChanges changes an account's address, Notices mails owners about their
// quota, and DeletionNotices sends the last mail of a deleted account. Storage is behind interfaces such
// as Store, KeyStore and SignInStore. The package sends no mail, writes no SQL and knows no request: its
// callers do.
//
// Begin with Service. Each file uses only those before it:
//
//   - plan.go
//   - actor.go: who acts, and the log of what was done
//   - settings.go: what owners choose
//   - watchlist.go: the list of tools that an account follows
//   - account.go, key.go: accounts and keys
//   - livekey.go: keys as nodes hold them in memory
//   - signinkeys.go: limits of mails and sign-ups, and the hashes by which they are counted
//   - deletion.go, emailchanges.go: mails about a deletion and a new address
//   - export.go, store.go, service.go, keyservice.go: Service
//   - signin.go, signins.go, signinredeem.go: signing in
//   - notices.go: the mail about quotas
package account
