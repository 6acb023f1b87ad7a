// Package figures computes what a catalog comes to on a day: how prices moved, what each edition
// changed, what the change log says of a tool and of a category, and what of all that was corrected
// later. Pages and feeds show it.
//
// Begin with Of. It computes everything once for a snapshot, so that no page has to look through the
// catalog; the result is never changed. The package knows no language, no page and no request.
//
// Read the files in this order:
//
//   - builder.go: what all computations have
//   - repricing.go: how two prices compare
//   - amended.go: entries of the change log, corrected
//   - prices.go: the index of prices, month by month
//   - journal.go, tools.go, categories.go, week.go: the change log by edition, by tool, by category, and its
//     last days
//   - figures.go: all of it
//   - steps.go: the prices of one tool over time
package figures
