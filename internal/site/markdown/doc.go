// Package markdown renders the Markdown of reviews as HTML that is safe on a page of the site, and as
// Markdown that is safe wherever it is read.
//
// It trusts no input, although package content already rejects most of what could do harm. It walks the parser's tree
// with a Writer, which package guide uses too, so that only this reaches a page: a few elements, the attributes id, href,
// rel, class, scope and start, and links to pages and mailboxes.
//
//   - Raw HTML is shown as the text that it is. Dropped, it would take words with it unnoticed.
//   - The sections have the ids of the chunks that the API serves, lower-case words joined by
//     single hyphens: an id of the page itself with an underscore or a capital never collides.
//   - An image is a link to it with its alternative text: no reader's browser fetches what an
//     author names.
//   - The author's typography stays as it is.
//
// Time and memory are at most linear in the length of the text: see content.NewParser.
package markdown
