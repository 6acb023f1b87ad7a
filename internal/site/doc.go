// Package site is the public site, French first with English beside it: it answers requests with pages
// that the packages below it make from the node's snapshot. Each page is complete without a script, and
// shows the call of the API that gives the same data. What the pages of other packages share with these is
// in package layout.
//
// Begin with the function routes: it lists every address and what makes what is there. A page is a function from a
// view.View, and from what else its parameters name, to a view.Document:
//
//   - pages: about the catalog, with their Markdown
//   - about: about the service, its plans, its status, its operator
//   - docs: for those who call the API
//   - machine: what programs read: feeds, the sitemap, llms.txt
//
// This package decides which edition of the catalog answers, what is cached and for how long, and how
// much is made at a time. It says nothing of the catalog itself, and needs no database.
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
