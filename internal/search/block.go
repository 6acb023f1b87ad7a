package search

import (
	"sort"
	"strings"
)

const (
	blockTerms    = 128 // of a new block
	maxBlockTerms = 2 * blockTerms
)

// A block is a run of consecutive terms of a dictionary, with their documents. It is immutable.
// Most terms have a single document, which is stored in place of a set.
type block struct {
	text       string // the terms, one after the other
	ends       []uint16
	docs       []uint32 // each term's only document, or severalFlag and an index in sets
	sets       []*set
	signatures []signature // nil in a dictionary without near look-ups
}

const severalFlag = 1 << 31

func (b *block) len() int { return len(b.ends) }

func (b *block) start(i int) int {
	if i == 0 {
		return 0
	}
	return int(b.ends[i-1])
}

func (b *block) term(i int) string { return b.text[b.start(i):b.ends[i]] }

func (b *block) last() string { return b.term(b.len() - 1) }

// search returns the index of a term, or where it would be.
func (b *block) search(term string) int {
	return sort.Search(b.len(), func(i int) bool { return b.term(i) >= term })
}

// addTo adds the documents of a term to a bitmap.
func (b *block) addTo(i int, to bitmap) {
	if doc := b.docs[i]; doc&severalFlag == 0 {
		to.add(doc)
	} else {
		b.sets[doc&^severalFlag].addTo(to)
	}
}

// set returns the documents of a term.
func (b *block) set(i int) *set {
	if doc := b.docs[i]; doc&severalFlag != 0 {
		return b.sets[doc&^severalFlag]
	}
	return &set{few: b.docs[i : i+1 : i+1], count: 1}
}

// A blockBuilder makes blocks of terms added in order.
type blockBuilder struct {
	signed bool // blocks have signatures
	terms  []string
	sets   []*set
	blocks []*block
}

// add adds a term that has documents.
func (bb *blockBuilder) add(term string, docs *set) {
	if docs.count > 0 {
		bb.terms, bb.sets = append(bb.terms, term), append(bb.sets, docs)
	}
}

// flush makes blocks of the terms added: one, unless it would be too large.
func (bb *blockBuilder) flush() {
	size := len(bb.terms)
	if size > maxBlockTerms {
		size = blockTerms
	}
	for start := 0; start < len(bb.terms); start += size {
		end := min(start+size, len(bb.terms))
		bb.blocks = append(bb.blocks, newBlock(bb.terms[start:end], bb.sets[start:end], bb.signed))
	}
	bb.terms, bb.sets = bb.terms[:0], bb.sets[:0]
}

func newBlock(terms []string, sets []*set, signed bool) *block {
	b := &block{text: strings.Join(terms, ""), ends: make([]uint16, len(terms)), docs: make([]uint32, len(terms))}
	several := 0
	for _, s := range sets {
		if s.count > 1 {
			several++
		}
	}
	if several > 0 {
		b.sets = make([]*set, 0, several)
	}
	end := 0
	for i, term := range terms {
		end += len(term)
		b.ends[i] = uint16(end) //nolint:gosec // a block has few terms of maxTerm bytes
		if sets[i].count == 1 {
			b.docs[i] = sets[i].few[0]
			continue
		}
		b.docs[i] = severalFlag | uint32(len(b.sets)) //nolint:gosec // as few
		b.sets = append(b.sets, sets[i])
	}
	if signed {
		b.signatures = make([]signature, len(terms))
		for i, term := range terms {
			b.signatures[i] = signatureOf(term)
		}
	}
	return b
}
