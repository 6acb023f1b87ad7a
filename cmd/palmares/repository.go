package main

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

// repositoryTemplates are the files of a repository for a new catalog: a first tool, and around it what a team needs
// to review changes, on GitHub or GitLab. They are copied as they are, except for actions between <% and %>.
//
//go:embed all:repository
var repositoryTemplates embed.FS

// repositoryOptions name the program that the repository's checks run. Nothing is downloaded here: whoever sets up the
// repository must make sure that the checks can get the program from the URL.
type repositoryOptions struct {
	Release string // the program's version, as it reports it
	URL     string // where to download it; "" for the default URL of that release
	SHA256  string // its checksum, in hexadecimal digits

	OwnChecksum bool   // the checksum is that of the running program
	Today       string // the day of the first check of a source, YYYY-MM-DD
}

// OwnURL reports whether the URL is the default one of the release.
func (o repositoryOptions) OwnURL() bool { return o.URL == "" || o.URL == releaseURL(o.Release) }

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
func (o repositoryOptions) checked() (repositoryOptions, error) {
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

// A repositoryFile is a file to be written.
type repositoryFile struct {
	path string // with forward slashes
	data []byte
}

// writeRepository writes a repository into dir, which must be empty or not exist, and returns the paths of its files.
// If it cannot write all of them, it leaves none.
func writeRepository(dir string, o repositoryOptions) ([]string, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	files, err := renderRepository(o)
	if err != nil {
		return nil, err
	}
	if err := writeFiles(dir, files); err != nil {
		return nil, err
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.path
	}
	return names, nil
}

// renderRepository executes the templates.
func renderRepository(o repositoryOptions) ([]repositoryFile, error) {
	var files []repositoryFile
	err := fs.WalkDir(repositoryTemplates, "repository", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := repositoryTemplates.ReadFile(name)
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
		files = append(files, repositoryFile{strings.TrimPrefix(name, "repository/"), out.Bytes()})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the templates: %w", err)
	}
	return files, nil
}

// writeFiles writes all files into a directory that is empty or does not exist, or leaves none.
func writeFiles(dir string, files []repositoryFile) error {
	made, err := claimDir(dir)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return errors.Join(fmt.Errorf("opening %s: %w", dir, err), removeDirs(made))
	}
	defer func() { _ = root.Close() }() // written files are closed one by one
	for _, f := range files {
		if err := writeFile(root, f); err != nil {
			return errors.Join(fmt.Errorf("nothing was written: %w", err), removeFiles(root, files, made))
		}
	}
	return nil
}

// claimDir creates a directory and its missing parents, or checks that an existing one is empty. It returns the
// directories that it created, innermost first.
func claimDir(dir string) (made []string, err error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return makeDirs(dir)
	case err != nil:
		return nil, fmt.Errorf("%s is no directory that can be read: %w", dir, err)
	case len(entries) > 0:
		return nil, fmt.Errorf("%s is not empty: nothing was written; name a directory that is not there yet", dir)
	}
	return nil, nil
}

// makeDirs creates a directory and its missing parents. If it fails, it leaves none of them.
func makeDirs(dir string) (made []string, err error) {
	var missing []string
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, at)
	}
	for _, at := range slices.Backward(missing) {
		if err := os.Mkdir(at, 0o755); err != nil {
			return nil, errors.Join(fmt.Errorf("making the directory: %w", err), removeDirs(made))
		}
		made = slices.Insert(made, 0, at)
	}
	return made, nil
}

// removeDirs removes the given directories, innermost first.
func removeDirs(made []string) error {
	for _, dir := range made {
		if err := os.Remove(dir); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(root *os.Root, f repositoryFile) error {
	if err := root.MkdirAll(path.Dir(f.path), 0o755); err != nil {
		return err
	}
	return root.WriteFile(f.path, f.data, 0o644)
}

// removeFiles removes everything that was written. Everything in the directory is ours, because it was empty.
func removeFiles(root *os.Root, files []repositoryFile, made []string) error {
	var errs []error
	for _, f := range files {
		top, _, _ := strings.Cut(f.path, "/")
		errs = append(errs, root.RemoveAll(top))
	}
	return errors.Join(append(errs, removeDirs(made))...)
}
