package catalog

import (
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// A sorter makes sort keys for names: French order, é next to e, case ignored.
// It keeps a buffer, so it serves one goroutine at a time.
type sorter struct {
	collator *collate.Collator
	buffer   collate.Buffer
}

func newSorter() *sorter {
	return &sorter{collator: collate.New(language.French, collate.IgnoreCase)}
}

func (s *sorter) key(name string) []byte {
	defer s.buffer.Reset()
	k := s.collator.KeyFromString(&s.buffer, name)
	return append(make([]byte, 0, len(k)), k...)
}
