// Package site is the public site: pages over the catalog, French first with English beside it.
// Each page is made on the server from the node's snapshot, is whole without a script, and shows
// the call of the API that gives the same data. What pages of other packages have too is in
// package layout.
//
// Read the files in this order:
//
//   - route.go: kinds of pages and their paths
//   - writer.go, catalog_texts.go: the words of the catalog, in both languages
//   - preview.go: what editors see of their files, beyond what readers will
//   - repricing.go, price_index.go: how prices moved
//   - amended.go, journal_index.go: what editions changed, and what of it was corrected
//   - renders.go: whose turn it is to have a page made
//   - cache.go, tool_log.go, category_index.go, edition.go: the pages of an edition on a day
//   - figures.go: what a node measures, and how far webhooks are behind
//   - pattern.go, document.go, parts.go: what pages say, and what several of them show
//   - badge.go, card.go: the pictures of a tool, for pages elsewhere
//   - jsonld.go: what pages say to search engines
//   - drafts.go: the comparisons that only editors see
//   - notes.go, choices.go, gaps.go: notes of the catalog, filters as links, how two tools differ
//   - tool_price.go, tool_changes.go: parts of the page of a tool
//   - landing.go, tools.go, tool.go, review.go, alternatives.go, category.go, comparisons.go,
//     comparison.go, prices.go, cemetery.go, journal.go, plans.go, words.go, status.go, error.go: the
//     pages, each with its sentences; their templates have the same names
//   - lines.go, twins.go: Markdown, line by line, and pages of the catalog as Markdown
//   - guides.go: the guides for those who call the API, as pages and as Markdown
//   - reference_texts.go, reference_body.go, reference_answer.go, reference_form.go, reference.go,
//     reference_source.go: the operations of the API, with a real answer, programs and a form, as pages
//     and as Markdown
//   - feeds.go: what is new, as Atom
//   - robots.go, security.go, sitemap.go, llms.go: what programs read
//   - kinds.go, elsewhere.go: the list of pages, and those that the catalog says to be elsewhere
//   - template.go, cors.go, site.go, typed.go, serve.go: from a request to HTML
package site
