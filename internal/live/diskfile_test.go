package live

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A watchedDisk is the real disk. It notes what is done to it, in order, and fails at one
// step.
type watchedDisk struct {
	osDisk
	did  []string
	fail string
}

var errStep = errors.New("the step failed")

func (d *watchedDisk) step(what string, do func() error) error {
	d.did = append(d.did, what)
	if what == d.fail {
		return errStep
	}
	return do()
}

func (d *watchedDisk) create(dir, pattern string) (f file, err error) {
	err = d.step("create", func() error { f, err = d.osDisk.create(dir, pattern); return err })
	return watchedFile{f, d}, err
}

func (d *watchedDisk) rename(from, to string) error {
	return d.step("rename", func() error { return d.osDisk.rename(from, to) })
}

func (d *watchedDisk) syncDir(dir string) error {
	return d.step("sync the directory", func() error { return d.osDisk.syncDir(dir) })
}

type watchedFile struct {
	file
	disk *watchedDisk
}

func (f watchedFile) Write(p []byte) (n int, err error) {
	err = f.disk.step("write", func() error { n, err = f.file.Write(p); return err })
	return n, err
}

func (f watchedFile) Sync() error  { return f.disk.step("sync the file", f.file.Sync) }
func (f watchedFile) Close() error { return f.disk.step("close", f.file.Close) }

// A file has its name only once all of it is on the disk, and the name is on the disk
// before it counts as written. A step that fails leaves the old file, and nothing beside it.
func TestAFileIsOnTheDiskBeforeItHasItsName(t *testing.T) {
	t.Parallel()
	order := []string{"create", "write", "write", "sync the file", "close", "rename", "sync the directory"}
	for _, fail := range append([]string{"never"}, order...) {
		path := filepath.Join(t.TempDir(), "copy")
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		d := &watchedDisk{fail: fail}
		err := writeOn(d, path, func(w io.Writer) error {
			_, first := io.WriteString(w, "n")
			_, second := io.WriteString(w, "ew")
			return errors.Join(first, second)
		})
		if fail == "never" && !slices.Equal(d.did, order) {
			t.Errorf("in this order: %v, want %v", d.did, order)
		}
		if (err != nil) != (fail != "never") || err != nil && !errors.Is(err, errStep) {
			t.Errorf("with a failure to %s: %v", fail, err)
		}
		want := "old"
		if fail == "never" || fail == "sync the directory" { // it has its name, if not for certain
			want = "new"
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != want {
			t.Errorf("with a failure to %s the file holds %q, want %q: %v", fail, text, want, err)
		}
		if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
			t.Errorf("with a failure to %s there is more than the file: %v %v", fail, files, err)
		}
	}
}
