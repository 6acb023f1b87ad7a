package content

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A Check is the change that Checked made. From equals To when the file already had the day.
type Check struct {
	File     string // relative to the content directory, with forward slashes
	From, To catalog.Date
}

// Checked records in the file of a tool, living or retired, that the source of a field was checked on the given
// day. It changes the ten characters of the date and nothing else, in any YAML notation.
func Checked(dir, slug string, field catalog.FactField, on catalog.Date) (Check, error) {
	l, err := openToWrite(dir)
	if err != nil {
		return Check{}, err
	}
	defer l.close()
	if on > l.latest {
		return Check{}, fmt.Errorf("%s is in the future: write the day on which somebody looked at the source", on)
	}
	folder, err := l.folderOf(slug)
	if err != nil {
		return Check{}, err
	}
	e := itemEntry(folder, slug)
	info, err := l.root.Lstat(e.path())
	if err != nil {
		return Check{}, fmt.Errorf("reading %s: %w", e.path(), cause(err))
	}
	if !info.Mode().IsRegular() {
		return Check{}, fmt.Errorf("%s is not a file but a link or a folder: put the file itself there", e.path())
	}
	data, complaint := l.read(e, nil)
	if complaint != "" {
		return Check{}, asError([]Fault{{File: e.path(), Line: 1, Column: 1, Message: complaint}})
	}
	out := Check{File: e.path(), To: on}
	var changed []byte
	if changed, out.From, err = l.redated(e, data, field, on); err != nil {
		return Check{}, err
	}
	if out.From == on {
		return out, nil
	}
	return out, l.replace(e.path(), changed, info.Mode().Perm())
}

// folderOf returns the folder of a tool, living or retired, or an error that says why there is no such tool.
func (l *loader) folderOf(slug string) (string, error) {
	if catalog.ValidSlug(slug) && !l.has(toolFolder, slug) && l.has(retiredFolder, slug) {
		return retiredFolder, nil
	}
	return toolFolder, l.requireLiving(slug)
}

// maxTries is how many occurrences of the date redated tries in one file. No hand-written file has as many.
const maxTries = 200

// redated returns the file with another day at the source of a field, and the day it had before. The YAML
// parser's columns are unreliable behind blank lines and spaces, so redated tries every occurrence of the old
// day. The right one is the one after which the file decodes to the new day and is otherwise unchanged.
func (l *loader) redated(e entry, data []byte, field catalog.FactField, on catalog.Date) ([]byte, catalog.Date, error) {
	want, faults := l.decodeFacts(e, data)
	if err := asError(faults); err != nil {
		return nil, "", err
	}
	fact, err := want.fact(field)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", e.path(), err)
	}
	from := fact.Checked
	if from == on {
		return data, from, nil
	}
	fact.Checked = on
	at := 0
	for range maxTries {
		i := bytes.Index(data[at:], []byte(from))
		if i < 0 {
			break
		}
		at += i + 1
		changed := bytes.Clone(data)
		copy(changed[at-1:], on)
		if got, faults := l.decodeFacts(e, changed); asError(faults) == nil && reflect.DeepEqual(got, want) {
			return changed, from, nil
		}
	}
	return nil, "", fmt.Errorf("%s: checked of %s is not written as %s: write it so, then try again", e.path(), field, from)
}

// decodeFacts decodes a file without its digest, so that two results differ only in what the files say.
func (l *loader) decodeFacts(e entry, data []byte) (item, []Fault) {
	d := l.open(e.path(), bytes.Clone(data))
	it := d.decode(e, "")
	sortFaults(d.faults)
	return it, d.faults
}

// fact returns the fact of a field, or an error if the field can have no source or has none.
func (it item) fact(field catalog.FactField) (*catalog.Fact, error) {
	facts := make(map[catalog.FactField]*catalog.Fact)
	switch {
	case it.tool != nil:
		f := &it.tool.Facts
		facts[catalog.PriceFact], facts[catalog.ScoreFact], facts[catalog.DomainFact] = &f.Price, &f.Score, &f.Domain
	case it.retired != nil:
		facts[catalog.RetiredAtFact] = &it.retired.Facts.RetiredAt
	}
	var names []string
	for _, name := range catalog.FactFields() {
		if facts[name] != nil {
			names = append(names, string(name))
		}
	}
	fact := facts[field]
	switch {
	case fact == nil:
		return nil, fmt.Errorf("%q can have no source: write one of %s", field, strings.Join(names, ", "))
	case !fact.Known():
		return nil, fmt.Errorf("%s has no source: write one under sources, such as %s", field, strings.Replace(sourceExample, "price", string(field), 1))
	}
	return fact, nil
}

// replace writes a file atomically: readers see either the old content or the new.
func (l *loader) replace(path string, data []byte, mode os.FileMode) error {
	folder, name := filepath.Split(path)
	temporary := folder + "." + name + "." + rand.Text()[:8] // hidden: not a content file
	f, err := l.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode) // regardless of the umask
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = l.root.Rename(temporary, path)
	}
	if err != nil {
		_ = l.root.Remove(temporary)
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	return nil
}
