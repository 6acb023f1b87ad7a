package live

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A disk is what a file is written with. It is there so that a test can see the order of
// things: that a file is on the disk before it has its name shows only in a power cut.
type disk interface {
	create(dir, pattern string) (file, error)
	rename(from, to string) error
	syncDir(dir string) error
}

// A file is one that is being written.
type file interface {
	io.WriteCloser
	Name() string
	Sync() error
}

// writeFile writes a file beside the one of that name, brings it to the disk, and renames
// it: whatever happens meanwhile, the one of that name is whole, the old or the new. Only
// its owner may read it.
func writeFile(path string, write func(io.Writer) error) error {
	return writeOn(osDisk{}, path, write)
}

func writeOn(d disk, path string, write func(io.Writer) error) (err error) {
	dir := filepath.Dir(path)
	tmp, err := d.create(dir, filepath.Base(path)+leftover+"*")
	if err != nil {
		return fmt.Errorf("writing the disk copy: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("writing the disk copy: %w", err), tmp.Close(), os.Remove(tmp.Name()))
		}
	}()
	if err := write(tmp); err != nil {
		return err
	}
	if err := tmp.Sync(); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	if err := d.rename(tmp.Name(), path); err != nil {
		return err
	}
	return d.syncDir(dir)
}

// osDisk is the real one.
type osDisk struct{}

func (osDisk) create(dir, pattern string) (file, error) { return os.CreateTemp(dir, pattern) }

func (osDisk) rename(from, to string) error { return os.Rename(from, to) }

// syncDir brings a rename to the disk.
func (osDisk) syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("opening the directory of the disk copy: %w", err)
	}
	return errors.Join(d.Sync(), d.Close())
}
