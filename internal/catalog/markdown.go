package catalog

// Markdown is a review as its editor wrote it: all that follows the front matter. What was read
// from a file has the Text, what was read from the database has it compressed, and the published
// state that a publication is compared with has the Hash alone.
type Markdown struct {
	Hash       string // of the text; "" means that there is none, or none yet
	Text       string
	Compressed []byte
}

// NewMarkdown makes the Markdown of a text.
func NewMarkdown(text string) Markdown { return Markdown{Hash: textDigest(text), Text: text} }

// markdownState is what a snapshot knows of the Markdown of all its reviews.
type markdownState struct {
	reviews      int // that have their Markdown
	dictionaries []Dictionary
	decompressor *Decompressor
}
