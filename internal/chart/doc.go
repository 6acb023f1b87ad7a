// Package chart draws charts as SVG. It knows nothing of catalogs or languages: the caller passes the points, functions
// that format values and dates, and one sentence that says what the chart shows, for screen readers.
//
// A drawing has classes and presentation attributes but no styles, so that it passes a strict Content-Security-Policy
// and works in light and dark themes. It has no ids, so that a page can have several. It is drawn for one width and
// must not be scaled, because its text would scale too: draw it once for each width of the layout, such as [Wide] and
// [Narrow].
//
// Text is placed by an estimate of its width. No text overlaps another or leaves the drawing; text that does not fit is
// left out.
//
// # Classes
//
// A stylesheet must have these, of an element with the class chart:
//
//	text          12px, tabular figures: the values and dates of the axes
//	.grid .axis   strokes: the lines behind the data, and the line that data stands on
//	.area .line   the fill beneath a line, and the line, 3px, fill: none
//	.dot          the points of a line
//	.lbl          15px, bold: the values of points; .lbl.up a rise, .lbl.down a fall
//	.bar          a bar; .bar.today, .bar.next (to come), .bar.over, .bar.up (rises) and .bar.down (falls)
//	.key          12px, bold: what the colours mean; .key.up and .key.down
//	.cap .cap-l   the line of a limit, and its value
//	.line.second  the second of a pair of lines
//	.part1 …      the parts of a bar, as many as MaxParts; .rest what is left, or what is not marked
//	.life .frame  the lines of lives and the frames at their ends; .year the lines of their time axis, .val and .fate their texts
//
// And of an element with the class scale: .base, .val and .tick, all fills.
//
// A map, which is also of the class map, has its marks in groups of the classes f (full), o (hollow), x (crossed),
// b (best) and h (here), each an <a> with a path, a name of 12px, of 13px and bold in b and h, and perhaps a path .lead
// to it. A name with the class on shows always, any other while a pointer is on its mark. .front is the line of the best.
//
// Package layout's 24-charts.css, 24-map.css, 26-cemetery.css, 41-tool.css and 62-usage.css have the rules that the estimates were made for.
//
// Read the files in this order: draw.go, axis.go, steps.go, line.go, bars.go, stacks.go, scores.go, multiple.go, lives.go,
// map.go, map_labels.go, pair.go.
package chart
