package catalog

// Cursor is the end of the change log as of the snapshot's edition, also where the log no longer has its
// last entry.
func (s *Snapshot) Cursor() Cursor { return s.logEnd }

// ChangesSince gives the entries after a cursor, oldest first, in a list that nobody may change. held is false
// if the snapshot cannot tell: they are older than what it keeps, newer than its edition, or the cursor is of
// another history.
func (s *Snapshot) ChangesSince(c Cursor) (entries []*LogEntry, held bool) {
	before := s.logEnd.Seq - int64(len(s.log)) // the entry before the first that is kept
	switch {
	case c == s.logEnd:
		return nil, true
	case c.Seq < before || c.Seq > s.logEnd.Seq:
		return nil, false
	case c.Edition != "" && (c.Seq == before || s.log[c.Seq-before-1].Cursor() != c):
		return nil, false
	}
	return s.log[c.Seq-before:], true
}

// LogLength is how many entries of the change log the snapshot has: its last ones.
func (s *Snapshot) LogLength() int { return len(s.log) }

// HoldsLog reports whether the snapshot has the change log from its very beginning.
func (s *Snapshot) HoldsLog() bool { return s.logEnd.Seq == int64(len(s.log)) }
