// Package starter writes a repository for a new catalog: a first tool, and around it what a team needs to
// review changes, on GitHub or GitLab.
//
// Begin with Write. The files are in templates/ and are copied as they are, except for actions between <% and
// %>. The package accesses no network: whoever sets up the repository must make sure that the checks can
// download the program from the given URL.
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

// Options name the program that the repository's checks run.
type Options struct {
	Release string // the program's version, as it reports it
	URL     string // where to download it; "" for the default URL of that release
	SHA256  string // its checksum, in hexadecimal digits

	OwnChecksum bool   // the checksum is that of the running program
	Today       string // the day of the first check of a source, YYYY-MM-DD
}

// OwnURL reports whether the URL is the default one of the release.
func (o Options) OwnURL() bool { return o.URL == "" || o.URL == releaseURL(o.Release) }

// releaseURL returns the default URL of a release's program, whose name scripts/release sets.
func releaseURL(version string) string {
	version = strings.Trim(version, "()") // (devel) has no release; the caller warns of that
	return "https://github.com/palmares-hq/palmares/releases/download/" + version + "/palmares_linux_amd64"
}

// The options end up in files that a shell and two forges read. These forms allow no character that any of them
// would interpret.
var (
	versionForm  = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._+-]{0,99}|\(devel\))$`)
	addressForm  = regexp.MustCompile(`^https?://[A-Za-z0-9][A-Za-z0-9._~:/?&=+,;@%-]{0,499}$`)
	checksumForm = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// checked returns the options with defaults filled in, or an error that says which one is not valid.
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

// A file is a file to be written.
type file struct {
	path string // with forward slashes
	data []byte
}

// Write writes the repository into dir, which must be empty or not exist, and returns the paths of its files.
// If it cannot write all of them, it leaves none.
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

// render executes the templates.
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

// writeAll writes all files into a directory that is empty or does not exist, or leaves none.
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

// claim creates a directory and its missing parents, or checks that an existing one is empty. It returns the
// directories that it created, innermost first.
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

// makeAll creates a directory and its missing parents. If it fails, it leaves none of them.
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

// unmake removes the given directories, innermost first.
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

// undo removes everything that was written. Everything in the directory is ours, because it was empty.
func undo(root *os.Root, files []file, made []string) error {
	var errs []error
	for _, f := range files {
		top, _, _ := strings.Cut(f.path, "/")
		errs = append(errs, root.RemoveAll(top))
	}
	return errors.Join(append(errs, unmake(made))...)
}
