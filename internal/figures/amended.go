package figures

import "github.com/palmares-hq/palmares/internal/catalog"

// Amended is a log entry that corrects others or is corrected, as pages show it: as if the mistake
// had not happened. A correction starts from the state before the mistake.
type Amended struct {
	Was, Is      *catalog.LoggedItem
	Price, Score bool // whether the entry corrects them

	// void reports whether all that the entry says was mistaken.
	void bool
	on   catalog.Date // of the corrected entry; "" if the log no longer has it
}

// An AmendedLog has the amended entries of a log by number. Most logs have none.
type AmendedLog map[int64]*Amended

// newAmendedLog returns the amended entries of a snapshot's log. It leaves out entries that cannot
// be decoded: a page that shows one reports the error.
func newAmendedLog(s *catalog.Snapshot) AmendedLog {
	found := s.Amendments()
	if len(found) == 0 {
		return nil
	}
	log := make(AmendedLog, len(found))
	for e := range s.RecentChanges() {
		if a := found[e.Seq]; a != nil {
			if x, err := newAmended(e, a); err == nil {
				log[e.Seq] = x
			}
		}
	}
	return log
}

func newAmended(e *catalog.LogEntry, a *catalog.Amendment) (*Amended, error) {
	was, is, err := e.Items()
	if err != nil {
		return nil, err
	}
	x := &Amended{Was: &was, Is: &is}
	mistaken := a.Price.By != nil || a.Score.By != nil
	if x.Price, err = x.amend(e, a.Price, takeOffer); err != nil {
		return nil, err
	}
	take := takeScore
	if e.Type == catalog.ComparisonUpdated || e.Type == catalog.ComparisonRenamed {
		take = takeScores
	}
	if x.Score, err = x.amend(e, a.Score, take); err != nil {
		return nil, err
	}
	x.void = mistaken && !x.Price && !x.Score && e.Type != catalog.ToolCreated && e.Type != catalog.ToolRenamed && e.Type != catalog.ComparisonRenamed && *x.Was == *x.Is
	for _, s := range []catalog.Standing{a.Score, a.Price} {
		if s.From != nil {
			x.on = catalog.DateOf(s.From.At)
		}
	}
	return x, nil
}

// amend replaces the mistaken values of the entry, and reports whether the entry corrects others.
func (x *Amended) amend(e *catalog.LogEntry, s catalog.Standing, take func(to, from, moved, than *catalog.LoggedItem)) (bool, error) {
	switch {
	case s.By != nil:
		before, right, err := s.By.Items()
		if err != nil {
			return false, err
		}
		if e.Type == catalog.ToolCreated {
			take(x.Is, &right, &right, &before) // it was created with the corrected values
		} else {
			take(x.Is, x.Was, &right, &before)
		}
		return false, nil
	case !s.Corrects:
		return false, nil
	case s.From == nil || s.From.Type == catalog.ToolCreated:
		take(x.Was, x.Is, x.Is, x.Was)
		return true, nil
	default:
		before, _, err := s.From.Items()
		if err != nil {
			return false, err
		}
		mistake := *x.Was
		take(x.Was, &before, x.Is, &mistake)
		return true, nil
	}
}

func takeOffer(to, from, _, _ *catalog.LoggedItem) { to.Pricing, to.Price = from.Pricing, from.Price }

func takeScore(to, from, _, _ *catalog.LoggedItem) { to.Score = from.Score }

// takeScores takes only the scores that a correction of a comparison changes: the other tool's
// score may have been right.
func takeScores(to, from, moved, than *catalog.LoggedItem) {
	if moved.ToolA.Score != than.ToolA.Score {
		to.ToolA.Score = from.ToolA.Score
	}
	if moved.ToolB.Score != than.ToolB.Score {
		to.ToolB.Score = from.ToolB.Score
	}
}

// Void reports whether all that an entry says was mistaken.
func (l AmendedLog) Void(e *catalog.LogEntry) bool { x := l[e.Seq]; return x != nil && x.void }

// Logged returns the item before and after an entry, without mistakes. Either may be zero.
func (l AmendedLog) Logged(e *catalog.LogEntry) (was, is *catalog.LoggedItem, err error) {
	if x := l[e.Seq]; x != nil {
		return x.Was, x.Is, nil
	}
	before, after, err := e.Items()
	return &before, &after, err
}

// Scores returns the scores of a tool before and after an entry, without mistakes.
func (l AmendedLog) Scores(e *catalog.LogEntry) (before, after catalog.Measure) {
	if x := l[e.Seq]; x != nil {
		return x.Was.Score, x.Is.Score
	}
	return e.Scores()
}

// Repriced reports whether an entry changes a price once mistakes are left out, and on which day.
func (l AmendedLog) Repriced(e *catalog.LogEntry) (on catalog.Date, moved bool) {
	x := l[e.Seq]
	switch {
	case x == nil:
		return catalog.DateOf(e.At), true
	case x.on == "": // the log no longer has the corrected entry
		return "", false
	default:
		return x.on, !x.void && OfferOf(x.Was) != OfferOf(x.Is)
	}
}
