// Package machine has what programs read of the site: feeds, the sitemap, the description of the data for portals,
// llms.txt, robots.txt and security.txt, and the pictures of a tool for pages elsewhere. What pages themselves say to
// programs is in package jsonld, and their Markdown beside the pages.
//
// Each exported function is one file or one picture. None of them knows a request: the routes of the site say where a
// file is and who may read it.
//
// Read the files in this order: sitemap.go, feeds.go, endings.go, llms.go, dcat.go, pictures.go, files.go.
package machine
