package search

import (
	"maps"
	"slices"
	"sort"
	"strings"
)

// A dictionary maps terms to documents. It is immutable.
type dictionary struct {
	signed bool // blocks have signatures, which near needs
	blocks []*block
}

// A change lists the documents that lose a term and those that get it.
type change struct{ gone, added []uint32 }

// changes are the changes of a dictionary, by term.
type changes map[string]*change

func (c changes) of(term string) *change {
	x := c[term]
	if x == nil {
		x = new(change)
		c[strings.Clone(term)] = x // a substring would keep the whole text in memory
	}
	return x
}

func (c changes) remove(term string, doc uint32) {
	x := c.of(term)
	x.gone = append(x.gone, doc)
}

func (c changes) add(term string, doc uint32) {
	x := c.of(term)
	x.added = append(x.added, doc)
}

// find returns the index of the block where a term would be: the first whose last term is not
// before it.
func (d dictionary) find(term string) int {
	return sort.Search(len(d.blocks), func(i int) bool { return d.blocks[i].last() >= term })
}

// with returns the dictionary after the changes. It copies only the blocks that they touch.
func (d dictionary) with(c changes, pause func()) dictionary {
	if len(c) == 0 {
		return d
	}
	terms := slices.Sorted(maps.Keys(c))
	bb := blockBuilder{signed: d.signed, blocks: make([]*block, 0, len(d.blocks)+len(terms)/blockTerms+1)}
	copied := 0
	for len(terms) > 0 {
		at := max(copied, min(d.find(terms[0]), len(d.blocks)-1))
		if at >= len(d.blocks) { // there is no block at all
			bb.merge(&block{}, terms, c, pause)
			break
		}
		bb.blocks = append(bb.blocks, d.blocks[copied:at]...)
		copied = at + 1
		n := len(terms) // the last block also takes the terms after it
		if at < len(d.blocks)-1 {
			last := d.blocks[at].last()
			n = sort.Search(len(terms), func(i int) bool { return terms[i] > last })
		}
		bb.merge(d.blocks[at], terms[:n], c, pause)
		terms = terms[n:]
	}
	bb.blocks = append(bb.blocks, d.blocks[copied:]...)
	return dictionary{d.signed, bb.blocks}
}

// merge adds the terms of a block after the changes to its terms, and makes new blocks of them.
func (bb *blockBuilder) merge(b *block, terms []string, c changes, pause func()) {
	i := 0
	for _, term := range terms {
		for ; i < b.len() && b.term(i) < term; i++ {
			bb.add(b.term(i), b.set(i))
		}
		old := &set{}
		if i < b.len() && b.term(i) == term {
			old = b.set(i)
			i++
		}
		x := c[term]
		bb.add(term, old.with(x.gone, x.added))
		pause()
	}
	for ; i < b.len(); i++ {
		bb.add(b.term(i), b.set(i))
	}
	bb.flush()
	pause()
}

// exact adds the documents of a term to a bitmap.
func (d dictionary) exact(term string, to bitmap) {
	at := d.find(term)
	if at == len(d.blocks) {
		return
	}
	b := d.blocks[at]
	if i := b.search(term); i < b.len() && b.term(i) == term {
		b.addTo(i, to)
	}
}

// has reports whether a document has a term.
func (d dictionary) has(term string) bool {
	at := d.find(term)
	if at == len(d.blocks) {
		return false
	}
	b := d.blocks[at]
	i := b.search(term)
	return i < b.len() && b.term(i) == term
}

// prefixed adds the documents of all terms with a prefix to a bitmap.
func (d dictionary) prefixed(prefix string, to bitmap) {
	for at := d.find(prefix); at < len(d.blocks); at++ {
		b := d.blocks[at]
		for i := b.search(prefix); i < b.len(); i++ {
			if !strings.HasPrefix(b.term(i), prefix) {
				return
			}
			b.addTo(i, to)
		}
	}
}

// near calls found for each term within most typos of a word: the term's block, its index there,
// and the number of typos.
func (d dictionary) near(word string, most int, found func(b *block, i, distance int)) {
	wanted := signatureOf(word)
	for _, b := range d.blocks {
		for i, s := range b.signatures {
			if s.apart(wanted, most) {
				continue
			}
			if n := distance(word, b.term(i), most); n <= most {
				found(b, i, n)
			}
		}
	}
}
