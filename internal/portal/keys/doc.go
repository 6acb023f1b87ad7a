// Package keys is the account pages of API keys and of what was used of them: the list of keys, the
// page that shows a new one, this once, with a first call, and the usage of the last 30 days.
//
// Begin with Pages and UsagePage in pages.go: a handler is a method of one of them.
// account.Service decides who may have how many keys. A key is in the answer that made it and nowhere
// else: it is neither stored nor logged here.
//
// Read the files in this order:
//
//   - usage_texts.go, keys_texts.go: the texts
//   - pages.go: what the pages stand on
//   - samples.go, firstcall.go: a new key, and a first call with it
//   - keys.go: the list of keys
//   - usage.go: what was used
package keys
