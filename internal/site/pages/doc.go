// Package pages makes the pages about the catalog, and their Markdown. Nearly every exported function makes a page: it
// takes a view.View, and the slug or parameters of the page, and returns the data of its template, which has the same
// name.
//
// Begin with Tool, whose template is templates/tool.html. A page computes nothing that package figures has computed for
// it, and keeps no state. It knows nothing of requests, headers or caches.
//
// Read the files in this order:
//
//   - parts.go: what several pages show
//   - tool_price.go, tool_facts.go: parts of the page of a tool
//   - watch_bill.go: what the tools of a reader's list cost
//   - journal_lines.go: what the journal says of prices, of the cemetery and of the catalog itself
//   - cemetery_lives.go, prices_index.go, tool_score.go: drawings of pages, with their tables
//   - journal_changes.go: what it says of tools and comparisons
//   - landing_first.go: the first screen of the front page
//   - pricemap.go: the map of tools by price and score, as several pages show it
//   - landing.go, found.go, search.go, tools.go, map.go, tool.go, review.go, alternatives.go, category.go: the pages, each
//     with its sentences
//   - properties.go, duel.go: what sets tools apart, and two of them face to face
//   - comparison.go, prices.go, cemetery.go, journal.go, watch.go, compare.go, report.go: more pages
//   - markdown.go: the same as Markdown
//   - pages.go: the texts and templates
package pages
