// Package markdown renders the Markdown of reviews as HTML that is safe on a page of the site, and as
// Markdown that is safe wherever it is read.
//
// It trusts nothing, though content refuses most of what could do harm. A writer of its own walks
// the tree of the parser, so that nothing reaches a page that this package does not write itself:
// few elements, the attributes id, href, rel, class, scope and start, and links that lead to a
// page or to a mailbox.
//
//   - Raw HTML is shown as the text that it is. Dropped, it would take words with it unnoticed.
//   - The sections have the ids of the chunks that the API serves, lower-case words joined by
//     single hyphens: an id of the page itself with an underscore or a capital never collides.
//   - An image is a link to it with its alternative text: no reader's browser fetches what an
//     author names.
//   - The author's typography stays as it is.
//
// Time and memory grow with the length of the text and no faster: see content.NewParser.
package markdown
