package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

type newRepository struct {
	Dir     string `arg:"" help:"The directory to write into: empty, or not there yet."`
	Release string `placeholder:"VERSION" help:"The version of palmares that workflows run (default: this one)."`
	URL     string `name:"url" placeholder:"URL" help:"Where they download it, for Linux on amd64 (default: where that release would be)."`
	SHA256  string `name:"sha256" placeholder:"SUM" help:"Its checksum (default: that of this program)."`
}

// Help is shown by palmares new repository --help.
func (newRepository) Help() string {
	return `Writes a repository for a new catalogue: a catalog/ with one invented tool, workflows for GitHub and
GitLab that check every proposal, show what publishing it would change and publish what is merged, a
weekly issue of sources to look at again, issue forms, and a README.md that tells contributors how it
goes and you what is left to set up: a database role that may only publish (palmares grants), and an
environment of the forge that has its password.

Workflows download palmares from one address and accept it with one checksum only; .palmares-version
names both. Without flags these are the address that a release of this version would have, and the
checksum of the program that you run: right if it is a release for Linux on amd64. For any other, name
all three; a program that is not a release writes its own checksum, and says so. Nothing is downloaded
to make sure.

Example:
  palmares new repository my-catalog --release v1.2.3 \
    --url https://downloads.example.org/palmares_linux_amd64 --sha256 "$(cut -d' ' -f1 palmares.sha256)"`
}

func (c *newRepository) Run(con *console) error {
	o := repositoryOptions{
		Release: c.Release, URL: c.URL, SHA256: c.SHA256, Today: string(catalog.DateOf(time.Now().UTC())),
	}
	if err := c.own(&o); err != nil {
		return err
	}
	files, err := writeRepository(c.Dir, o)
	if err != nil {
		return err
	}
	dir := strings.TrimRight(c.Dir, "/")
	for _, name := range files {
		fmt.Fprintf(con.out, "%s/%s\n", dir, name)
	}
	fmt.Fprintf(con.err, "%s written. README.md says what is left to set up; the catalogue is sound: palmares check %s/catalog\n",
		counted(len(files), "file is", "files are"), dir)
	if o.Release == unreleased {
		fmt.Fprintln(con.err, "This program is not a release, and checks accept it and no other: put it where they can download it and name that with --url, "+
			"or name a release with --release and --sha256.")
	} else if o.OwnURL() {
		fmt.Fprintln(con.err, "Checks will look for palmares where its release would be. Make sure that it is there, or name another address with --url.")
	}
	return nil
}

// unreleased is the version of a program that is not a release.
const unreleased = "(devel)"

// own fills in the version and the checksum that were not given from the running program.
func (c *newRepository) own(o *repositoryOptions) error {
	own := currentVersion()
	if o.Release == "" {
		o.Release = own
	}
	if o.SHA256 != "" {
		return nil
	}
	if o.Release != own {
		return fmt.Errorf("this program is %s, so it does not know the checksum of %s: name it with --sha256", own, o.Release)
	}
	var err error
	o.SHA256, err = ownChecksum()
	o.OwnChecksum = true
	return err
}

// ownChecksum returns the SHA-256 of this program. It returns an error if the program cannot run where the
// checks do.
func ownChecksum() (string, error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return "", fmt.Errorf("checks run on linux/amd64, and this program is for %s/%s: name the checksum of the other with --sha256",
			runtime.GOOS, runtime.GOARCH)
	}
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding this program: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("reading this program: %w", err)
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("reading this program: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
