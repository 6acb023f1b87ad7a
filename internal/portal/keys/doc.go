// Package keys is the account pages of API keys and their usage: the list of keys, the page that shows a new
// key once, with a first call to try, and the usage of the last 30 days.
//
// Begin with Pages and UsagePage in pages.go: each handler is a method of one of them. account.Service decides
// who may have how many keys. A key appears only in the response to the form that made it: it is neither stored
// nor logged here.
//
// Read the files in this order:
//
//   - usage_texts.go, keys_texts.go: the texts
//   - pages.go: what the pages need
//   - samples.go, firstcall.go: a new key, and a first call with it
//   - keys.go: the list of keys
//   - usage.go: the usage page
package keys
