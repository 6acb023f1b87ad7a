// Package machine makes the files of the site that programs read: feeds, the sitemap, the description of the data for
// portals, llms.txt, robots.txt, security.txt, and the pictures that other sites show. The structured data inside pages
// is in package jsonld; their Markdown is beside the pages.
//
// Nearly every exported function makes one file or one picture. None of them sees the HTTP request: the routes of the
// site say at which path a file is and how it is sent.
//
// Read the files in this order: sitemap.go, feeds.go, endings.go, llms.go, dcat.go, pictures.go, files.go.
package machine
