package catalog

import (
	"crypto/sha256"
	"encoding/hex"
)

// SummaryID is the section that holds a review's text before its first heading.
const SummaryID = "resume"

// ChunkText is the text of a section as consumers embed it: it opens with the
// tool's name and the heading, because a chunk is read without its neighbours.
func ChunkText(name string, s Section) string {
	return name + " — " + s.Heading + "\n\n" + s.Text
}

// NewReview makes the review of the named tool. Its hash covers the ordered chunk
// ids and texts and nothing else: it moves only when vectors must be made again.
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
	return Review{Hash: "sha256-" + hex.EncodeToString(h.Sum(nil)), Sections: sections}
}

// hashText is the hash of one chunk's text alone.
func hashText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + hex.EncodeToString(sum[:])
}
