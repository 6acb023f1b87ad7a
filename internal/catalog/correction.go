package catalog

// LastMoves are what a correction of a tool takes back: the last change of its price and the last one
// of its score. The zero value says that neither is known.
type LastMoves struct {
	Price *PriceMove // nil when nothing tells where the price comes from
	Score *ScoreMove // nil when nothing tells where the score comes from
}

// A PriceMove is how a tool came to its price.
type PriceMove struct {
	Row    *PriceChange // the last one of its history; nil when the tool came with this price
	Seq    int64        // the entry of the log that told it: price.changed, or tool.created
	Update int64        // the tool.updated that it came with, or the same tool.created
}

// A ScoreMove is how a tool came to its score.
type ScoreMove struct {
	Seq         int64            // the entry of the log: tool.updated or tool.created
	Comparisons map[string]int64 // the comparatif.updated of that edition, by slug
}

// A Correction is what the changes of a tool correct. Something in it is set.
type Correction struct {
	Price *PriceMove
	Score *ScoreMove

	// Row is what becomes of Price.Row; nil when it goes, because the price is the one before it.
	Row *PriceChange
}

// update is the number of the tool.updated that a correction takes back. Where two moved the price and
// the score, it is that of the score: the price.changed of the correction names the other.
func (c Correction) update() int64 {
	switch {
	case c.Score != nil:
		return c.Score.Seq
	case c.Price != nil:
		return c.Price.Update
	default:
		return 0
	}
}
