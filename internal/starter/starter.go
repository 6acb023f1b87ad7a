// Package starter writes a repository for a new catalog: a first tool, and around it what a team needs to
// review changes, on GitHub or GitLab.
//
// Begin with Write. The files are in templates/, where they stand as they are written but for what is between
// <% and %>. The package asks nobody anything: that the program can be downloaded from where the checks look
// for it is for whoever sets the repository up to make sure.
package starter

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

//go:embed all:templates
var templates embed.FS

// Options say which program the checks of the repository run.
type Options struct {
	Release string // its version, as it tells it
	URL     string // where it is; "" for where a release of that version would be
	SHA256  string // its checksum, in hexadecimal digits

	OwnChecksum bool   // the checksum is that of the program that writes
	Today       string // the day of the first check of a source, YYYY-MM-DD
}

// OwnURL reports whether nobody said where the program is.
func (o Options) OwnURL() bool { return o.URL == "" || o.URL == releaseURL(o.Release) }

// releaseURL is where a release has its program. It has the name that scripts/release gives it.
func releaseURL(version string) string {
	version = strings.Trim(version, "()") // (devel) has none, and whoever writes is told so
	return "https://github.com/palmares-hq/palmares/releases/download/" + version + "/palmares_linux_amd64"
}

// What stands in files that a shell and two forges read holds nothing that any of them would take for more
// than text.
var (
	versionForm  = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._+-]{0,99}|\(devel\))$`)
	addressForm  = regexp.MustCompile(`^https?://[A-Za-z0-9][A-Za-z0-9._~:/?&=+,;@%-]{0,499}$`)
	checksumForm = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// checked completes the options, or says what is wrong with them.
func (o Options) checked() (Options, error) {
	if !versionForm.MatchString(o.Release) {
		return o, fmt.Errorf("%q is no version: write one such as v1.2.3", o.Release)
	}
	if o.URL == "" {
		o.URL = releaseURL(o.Release)
	}
	if !addressForm.MatchString(o.URL) {
		return o, fmt.Errorf("%q is no address that a file can be downloaded from: write one that begins with https://", o.URL)
	}
	if o.SHA256 = strings.ToLower(o.SHA256); !checksumForm.MatchString(o.SHA256) {
		return o, fmt.Errorf("%q is no SHA-256 checksum: write the 64 hexadecimal digits that sha256sum prints", o.SHA256)
	}
	return o, nil
}

// A file is one to be written.
type file struct {
	path string // with forward slashes
	data []byte
}

// Write writes the repository into dir, which is empty or not there yet, and lists its files. When it cannot
// write all of them, it leaves none.
func Write(dir string, o Options) ([]string, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	files, err := render(o)
	if err != nil {
		return nil, err
	}
	if err := writeAll(dir, files); err != nil {
		return nil, err
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.path
	}
	return names, nil
}

// render fills the templates in.
func render(o Options) ([]file, error) {
	var files []file
	err := fs.WalkDir(templates, "templates", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := templates.ReadFile(name)
		if err != nil {
			return err
		}
		t, err := template.New(name).Delims("<%", "%>").Option("missingkey=error").Parse(string(text))
		if err != nil {
			return err
		}
		var out bytes.Buffer
		if err := t.Execute(&out, o); err != nil {
			return err
		}
		files = append(files, file{strings.TrimPrefix(name, "templates/"), out.Bytes()})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the templates: %w", err)
	}
	return files, nil
}

// writeAll writes files into a directory that is empty or not there yet, or nothing at all.
func writeAll(dir string, files []file) error {
	made, err := claim(dir)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return errors.Join(fmt.Errorf("opening %s: %w", dir, err), unmake(made))
	}
	defer func() { _ = root.Close() }() // written files are closed one by one
	for _, f := range files {
		if err := write(root, f); err != nil {
			return errors.Join(fmt.Errorf("nothing was written: %w", err), undo(root, files, made))
		}
	}
	return nil
}

// claim makes a directory and those above it that are not there, or finds that it is empty. It returns what it
// made, the innermost first.
func claim(dir string) (made []string, err error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return makeAll(dir)
	case err != nil:
		return nil, fmt.Errorf("%s is no directory that can be read: %w", dir, err)
	case len(entries) > 0:
		return nil, fmt.Errorf("%s is not empty: nothing was written; name a directory that is not there yet", dir)
	}
	return nil, nil
}

// makeAll makes a directory and those above it that are not there, or none.
func makeAll(dir string) (made []string, err error) {
	var missing []string
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, at)
	}
	for _, at := range slices.Backward(missing) {
		if err := os.Mkdir(at, 0o755); err != nil {
			return nil, errors.Join(fmt.Errorf("making the directory: %w", err), unmake(made))
		}
		made = slices.Insert(made, 0, at)
	}
	return made, nil
}

// unmake removes directories that were made, the innermost first.
func unmake(made []string) error {
	for _, dir := range made {
		if err := os.Remove(dir); err != nil {
			return err
		}
	}
	return nil
}

func write(root *os.Root, f file) error {
	if err := root.MkdirAll(path.Dir(f.path), 0o755); err != nil {
		return err
	}
	return root.WriteFile(f.path, f.data, 0o644)
}

// undo removes what was written. All of it was written by us: the directory was empty.
func undo(root *os.Root, files []file, made []string) error {
	var errs []error
	for _, f := range files {
		top, _, _ := strings.Cut(f.path, "/")
		errs = append(errs, root.RemoveAll(top))
	}
	return errors.Join(append(errs, unmake(made))...)
}
