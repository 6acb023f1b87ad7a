package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// EmbeddingsSize is the largest number of tools in the embeddings set.
const EmbeddingsSize = 300

// embeddingsScore is the score from which a tool belongs to the set, whatever its tier.
const embeddingsScore = 800 // 8, in hundredths

// embeddingsRank returns the group of the embeddings set that a tool belongs to, or 0 for none.
func embeddingsRank(t *Tool) int {
	switch {
	case !t.Review.Exists() || !t.Score.Known || !t.Verifiability.Known:
		return 0
	case t.Tier == 1:
		return 1
	case t.Score.Hundredths >= embeddingsScore:
		return 2
	case t.Tier == 2 && t.Mainstream:
		return 3
	}
	return 0
}

// EmbeddingsSet returns the tools whose chunks are served, in order: those of the highest tier,
// then those with a score of at least 8, then the mainstream tools of the second tier; each group
// by falling score, ties by slug, cut at EmbeddingsSize. A tool must have a review, a score and a
// verifiability.
func EmbeddingsSet(tools []*Tool) []*Tool {
	var set []*Tool
	for _, t := range tools {
		if embeddingsRank(t) > 0 {
			set = append(set, t)
		}
	}
	slices.SortFunc(set, compareEmbedded)
	return set[:min(len(set), EmbeddingsSize)]
}

// compareEmbedded orders the embeddings set.
func compareEmbedded(a, b *Tool) int {
	return cmp.Or(
		cmp.Compare(embeddingsRank(a), embeddingsRank(b)),
		b.Score.compare(a.Score),
		cmp.Compare(a.Slug, b.Slug),
	)
}

// SummaryID is the section that holds a review's text before its first heading.
const SummaryID = "resume"

// ChunkText returns the text of a section for embedding. It opens with the tool's name and the
// heading, because a chunk is read without its neighbours.
func ChunkText(name string, s Section) string {
	return name + " — " + s.Heading + "\n\n" + s.Text
}

// NewReview returns the review of the named tool. Its hash covers the ordered chunk ids and texts
// and nothing else: it changes only when vectors must be computed again.
func NewReview(name string, sections []Section) Review {
	if len(sections) == 0 {
		return Review{}
	}
	h := sha256.New()
	for _, s := range sections {
		// Neither ids nor texts can hold a NUL, so the boundaries are unambiguous.
		h.Write([]byte(s.ID))
		h.Write([]byte{0})
		h.Write([]byte(ChunkText(name, s)))
		h.Write([]byte{0})
	}
	r := Review{Hash: "sha256-" + hex.EncodeToString(h.Sum(nil)), Sections: sections}
	if sections[0].ID == SummaryID {
		r.Opening = Opening(sections[0].Text)
	}
	return r
}

// openingSize is the largest number of characters of a review's opening that search knows.
const openingSize = 500

// Opening returns what search knows of the text before a review's first heading.
func Opening(text string) string {
	n := 0
	for i := range text {
		if n++; n > openingSize {
			return strings.Clone(text[:i]) // the rest is not kept in memory
		}
	}
	return text
}

// hashText returns the hash of one chunk's text alone.
func hashText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + hex.EncodeToString(sum[:])
}
