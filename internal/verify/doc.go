// Package verify checks whether the pages that facts name as their sources still state what the catalog says.
//
// Begin with Verifier.Run. It fetches each page once, politely: it obeys robots.txt (RFC 9309), sends a site
// one request at a time with a pause after each, and identifies itself. It connects only to public addresses,
// wherever a name resolves to and a page redirects to. A page that could not be read gives NotChecked, never
// Found or Absent. The package changes no file, and its results never contain text of a page.
//
// Read the files in this order; each uses only those before it.
//
//   - verdict.go: the result for a fact
//   - text.go, page.go: the visible text of a page
//   - number.go, wanted.go: searching it for a fact
//   - robots.go: what a site allows
//   - pace.go, client.go: one request to a site at a time, and none to a private address
//   - fetch.go: a page, with its redirects
//   - verify.go: many facts
package verify
