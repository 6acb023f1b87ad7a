// Package site serves the public site, French first and English beside it: it answers requests with pages that its
// subpackages make from the node's snapshot. Each page works without scripts, and shows the API call that returns the
// same data. Package layout has what these pages share with those of other packages.
//
// Begin with the function routes: it lists every address with its handler. A page is a function that takes a view.View,
// and any other parameters it needs, and returns a view.Document:
//
//   - pages: about the catalog, with their Markdown
//   - about: about the service, its plans, its status, its operator
//   - docs: for those who call the API
//   - machine: what programs read: feeds, the sitemap, llms.txt
//
// This package decides which edition of the catalog answers, what is cached and for how long, and how many pages are
// made at once. It writes no page about the catalog itself, and needs no database.
//
// Read the files in this order:
//
//   - preview.go: what editors see of their files, and the options of a site
//   - handler.go, routes.go: every address, what makes what is there, and how a path finds it
//   - renders.go: how much is made at a time, and for whom
//   - cache.go: the pages of an edition on a day
//   - frame.go, error.go: from a document to HTML, and the page of an error
//   - site.go: editions come and go
//   - make.go: from a request to what is sent
//   - form.go: forms that readers send
//   - typed.go, serve.go: from HTTP to a request and back
package site
