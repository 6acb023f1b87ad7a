// Package picture draws the images that other sites show: Open Graph cards as PNG and badges as SVG. It draws text as
// outlines from embedded fonts, so that an image looks the same everywhere. Callers pass every word, in the language of
// the page.
//
// Read the files in this order:
//
//   - font.go: the fonts, what they can draw of a text, and its outlines
//   - fit.go: a text in a frame, by shrinking and wrapping it
//   - canvas.go: ink on paper, pixel by pixel
//   - card.go: the Open Graph card, with the logo of the operator
//   - kinds.go: cards of comparisons, rankings and prices
//   - badge.go: the badge
//   - cache.go: cards that were drawn, within a bound
package picture
