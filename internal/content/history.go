package content

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

var daysAgo = regexp.MustCompile(`^([1-9][0-9]{0,3})-days?-ago$`)

// ParseDay reads a day as the folders of history/ are named: 2024-02-29, or 3-days-ago, which
// counts from today in UTC.
func ParseDay(s string, now time.Time) (catalog.Date, error) {
	if ago := daysAgo.FindStringSubmatch(s); ago != nil {
		n, err := strconv.Atoi(ago[1])
		return catalog.DateOf(now.UTC().AddDate(0, 0, -n)), err
	}
	day, err := catalog.ParseDate(s)
	if err != nil {
		return "", fmt.Errorf("%q is not a day: write YYYY-MM-DD, or 3-days-ago", s)
	}
	return day, nil
}

// History lists the days from which a content directory has older states of its files, the oldest
// first. The files of today are the state of every later day.
func History(dir string, now time.Time) ([]catalog.Date, error) {
	l, err := openLoader(dir, Options{Now: func() time.Time { return now }})
	if err != nil {
		return nil, err
	}
	defer l.close()
	states, err := l.states()
	if err != nil {
		return nil, err
	}
	var days []catalog.Date
	for _, s := range states {
		days = append(days, s.day)
	}
	return slices.Compact(days), nil
}

// CheckHistory returns the faults of the older states of a sound directory. It stops after the first state that
// has errors. A fault in a file of today names the older day on which it is one.
func CheckHistory(ctx context.Context, dir string, o Options) ([]Fault, error) {
	now := time.Now
	if o.Now != nil {
		now = o.Now
	}
	days, err := History(dir, now())
	if err != nil {
		return nil, err
	}
	var faults []Fault
	for _, day := range days {
		o.At = day
		r, err := Load(ctx, dir, o)
		if err != nil {
			return nil, err
		}
		for _, f := range r.Faults {
			if !slices.Contains(faults, f) {
				faults = append(faults, f)
			}
		}
		if r.HasErrors() {
			break
		}
		o.Known = r.Contents
	}
	sortFaults(faults)
	return faults, nil
}

// A state is one folder of history/: the files that changed on a day.
type state struct {
	day  catalog.Date
	from string
}

// states lists the folders of history/, the oldest first.
func (l *loader) states() ([]state, error) {
	found, err := fs.ReadDir(l.root.FS(), historyFolder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", historyFolder, err)
	}
	today := catalog.DateOf(l.now)
	var states []state
	for _, f := range found {
		if ignored(f.Name()) {
			continue
		}
		s := state{from: path.Join(historyFolder, f.Name())}
		switch s.day, err = ParseDay(f.Name(), l.now); {
		case err != nil || !f.IsDir():
			l.fault(s.from, "not a folder named after a day: name it like 2024-02-29, or 3-days-ago")
		case s.day > today:
			l.fault(s.from, "the day is in the future: older states of files are of earlier days")
		default:
			states = append(states, s)
		}
	}
	slices.SortStableFunc(states, func(a, b state) int { return cmp.Compare(a.day, b.day) })
	return states, nil
}

// goBack sets l.past so that the files are read as they were on the day l.at. A file that history/ names is
// taken from its latest state up to that day, or did not exist yet. Any other file has always been as it is
// today. When history/ names a tool or its entry in the cemetery, the other one counts as named too, so that a
// tool can be retired today.
func (l *loader) goBack() error {
	states, err := l.states()
	if err != nil || l.at == "" || len(states) == 0 || l.at > states[len(states)-1].day {
		return err
	}
	if l.at < states[0].day {
		return fmt.Errorf("the older states of files begin on %s: nothing tells how they were on %s", states[0].day, l.at)
	}
	l.past = make(map[string]entry)
	for _, s := range states {
		entries, err := l.changed(s)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if _, named := l.past[e.today()]; s.day <= l.at {
				l.past[e.today()] = e
			} else if !named {
				e.gone = true // did not exist yet
				l.past[e.today()] = e
			}
		}
	}
	for _, e := range maps.Clone(l.past) {
		e.folder = map[string]string{toolFolder: retiredFolder, retiredFolder: toolFolder}[e.folder]
		if _, named := l.past[e.today()]; !named && e.folder != "" {
			e.gone = true
			l.past[e.today()] = e
		}
	}
	return nil
}

// changed returns the entries of a state: the files that changed on its day.
func (l *loader) changed(s state) ([]entry, error) {
	found, err := fs.ReadDir(l.root.FS(), s.from)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", s.from, err)
	}
	var entries []entry
	for _, f := range found {
		name := f.Name()
		switch {
		case ignored(name):
		case name == catalogFile || name == categoriesFile:
			entries = append(entries, entry{from: s.from, name: name, link: true})
		case f.IsDir() && slices.Contains([]string{toolFolder, comparisonFolder, retiredFolder}, name):
			entries = append(entries, l.listIn(s.from, name)...)
		default:
			l.fault(path.Join(s.from, name), "not a file of a catalog: a day holds what the content directory does; move or remove it")
		}
	}
	return entries, nil
}

// dated adds the older day to the faults of today's files, which are valid today, and drops their warnings. It
// does nothing when today's files are loaded.
func (l *loader) dated() {
	if l.past == nil {
		return
	}
	older := func(f Fault) bool { return strings.HasPrefix(f.File, historyFolder+"/") }
	l.faults = slices.DeleteFunc(l.faults, func(f Fault) bool { return f.Warning && !older(f) })
	for i, f := range l.faults {
		if !older(f) {
			l.faults[i].Message = fmt.Sprintf("on %s, as history/ has it: %s", l.at, f.Message)
		}
	}
}
