// Package locale writes for French and English readers: numbers, prices, dates and plurals as they expect
// them, and the sentences that pages and mails bring, in the reader's language. It holds no sentence itself.
// Begin with locale.go, the forms of a Language; text.go has Texts, the sentences by name, and the Writer of
// them.
//
// French has a narrow no-break space (U+202F) in large numbers and before ; ! ? and inside « »,
// and a no-break space (U+00A0) before : € and %.
package locale
