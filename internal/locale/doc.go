// Package locale writes numbers, prices, dates and plurals as French and English readers expect
// them. It knows no sentence: those are the pages' own.
//
// French has a narrow no-break space (U+202F) in large numbers and before ; ! ? and inside « »,
// and a no-break space (U+00A0) before : € and %.
package locale
