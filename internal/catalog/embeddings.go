package catalog

import (
	"cmp"
	"slices"
)

// EmbeddingsSize is how many tools the embeddings operation covers at most.
const EmbeddingsSize = 300

// embeddingsScore is the score from which a tool belongs to the set whatever its tier.
const embeddingsScore = 800 // 8, in hundredths

// embeddingsRank is the group of the set that a tool falls in, or 0 for none.
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

// EmbeddingsSet is the ordered set of tools whose chunks are served: those of the
// highest tier, then those with a score of at least 8, then the mainstream tools
// of the second tier; each group by falling score, ties on slug, cut at 300.
// A tool without review, score and verifiability is never in it.
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
