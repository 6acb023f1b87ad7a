package search

import (
	"math/bits"
	"slices"
)

// A bitmap has one bit per document.
type bitmap []uint64

func (b bitmap) has(doc uint32) bool { return b[doc/64]&(1<<(doc%64)) != 0 }
func (b bitmap) add(doc uint32)      { b[doc/64] |= 1 << (doc % 64) }
func (b bitmap) remove(doc uint32)   { b[doc/64] &^= 1 << (doc % 64) }

func (b bitmap) empty() bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// count returns the number of documents.
func (b bitmap) count() (n int) {
	for _, x := range b {
		n += bits.OnesCount64(x)
	}
	return n
}

// fill adds all documents, and numbers that none has.
func (b bitmap) fill() {
	for i := range b {
		b[i] = ^uint64(0)
	}
}

// meets reports whether both have a document.
func (b bitmap) meets(other bitmap) bool {
	for i, x := range other {
		if b[i]&x != 0 {
			return true
		}
	}
	return false
}

// or adds the documents of other.
func (b bitmap) or(other bitmap) {
	for i, x := range other {
		b[i] |= x
	}
}

// orBoth adds the documents that are in both one and two.
func (b bitmap) orBoth(one, two bitmap) {
	for i, x := range one {
		b[i] |= x & two[i]
	}
}

// each calls f with each document.
func (b bitmap) each(f func(doc uint32)) {
	for i, x := range b {
		for ; x != 0; x &= x - 1 {
			f(uint32(i*64 + bits.TrailingZeros64(x))) //nolint:gosec // the number of a document
		}
	}
}

const (
	// maxFew is the largest set kept as a list, which a change copies.
	maxFew = 2048
	// A chunk is the part of a bitmap that a change copies.
	chunkWords = 64
	chunkDocs  = 64 * chunkWords
)

type chunk [chunkWords]uint64

// A set is the documents of a term. It is immutable.
type set struct {
	few    []uint32 // sorted
	chunks []*chunk // instead of few, if there are many; an empty chunk is nil
	count  int
}

// addTo adds the set to a bitmap.
func (s *set) addTo(b bitmap) {
	for _, doc := range s.few {
		b.add(doc)
	}
	for i, c := range s.chunks {
		if c == nil {
			continue
		}
		at := b[i*chunkWords:]
		for j, x := range c[:min(chunkWords, len(at))] {
			at[j] |= x
		}
	}
}

// list returns the documents, sorted.
func (s *set) list() []uint32 {
	if s.chunks == nil {
		return s.few
	}
	docs := make([]uint32, 0, s.count)
	for i, c := range s.chunks {
		if c != nil {
			bitmap(c[:]).each(func(doc uint32) { docs = append(docs, uint32(i*chunkDocs)+doc) }) //nolint:gosec // the number of a document
		}
	}
	return docs
}

// with returns the set without the documents of gone and with those of added.
func (s *set) with(gone, added []uint32) *set {
	if s.chunks == nil {
		slices.Sort(gone)
		docs := make([]uint32, 0, len(s.few)+len(added))
		for _, doc := range s.few {
			if _, found := slices.BinarySearch(gone, doc); !found {
				docs = append(docs, doc)
			}
		}
		return newSet(append(docs, added...))
	}
	next := &set{chunks: slices.Clone(s.chunks), count: s.count}
	fresh := make(map[uint32]bool)
	at := func(doc uint32) *chunk {
		i := doc / chunkDocs
		for int(i) >= len(next.chunks) {
			next.chunks = append(next.chunks, nil)
		}
		if !fresh[i] {
			c := new(chunk)
			if old := next.chunks[i]; old != nil {
				*c = *old
			}
			next.chunks[i], fresh[i] = c, true
		}
		return next.chunks[i]
	}
	for _, doc := range gone {
		if c := bitmap(at(doc)[:]); c.has(doc % chunkDocs) {
			c.remove(doc % chunkDocs)
			next.count--
		}
	}
	for _, doc := range added {
		if c := bitmap(at(doc)[:]); !c.has(doc % chunkDocs) {
			c.add(doc % chunkDocs)
			next.count++
		}
	}
	if next.count <= maxFew/2 {
		return newSet(next.list())
	}
	return next
}

// newSet returns a set of documents in any order. It takes over the slice.
func newSet(docs []uint32) *set {
	slices.Sort(docs)
	docs = slices.Compact(docs)
	if len(docs) <= maxFew {
		return &set{few: docs, count: len(docs)}
	}
	s := &set{chunks: make([]*chunk, docs[len(docs)-1]/chunkDocs+1), count: len(docs)}
	for _, doc := range docs {
		i := doc / chunkDocs
		if s.chunks[i] == nil {
			s.chunks[i] = new(chunk)
		}
		bitmap(s.chunks[i][:]).add(doc % chunkDocs)
	}
	return s
}
