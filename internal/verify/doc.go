// Package verify looks whether the pages that facts name as their sources still say what the catalog says.
//
// Begin with Verifier.Run. It fetches each page once, politely: it obeys robots.txt (RFC 9309), sends a host one request
// at a time with a pause after it, and says who asks. It connects to public addresses only, whatever a name resolves to
// and wherever a page redirects to. What could not be read is NotChecked, never Found or Absent. The package changes no
// file, and nothing that it returns contains text of a page.
//
// Read the files in this order; each uses only those before it.
//
//   - verdict.go: what is said of a fact
//   - text.go, page.go: the visible text of a page
//   - number.go, wanted.go: what is looked for in it
//   - robots.go: what a site allows
//   - pace.go, client.go: one request to a host at a time, and none to a private address
//   - fetch.go: a page, with its redirects
//   - verify.go: many facts
package verify
