// Package gomodule writes a Go module as the files of a module proxy, so that go get and go install take it from a folder:
// GOPROXY=file:///the/folder. https://go.dev/ref/mod#module-proxy describes the files.
package gomodule

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// Write writes a version of the module in source into the folder proxy. Files have the time at.
func Write(source, proxy, version string, at time.Time) error {
	mod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return err
	}
	module, err := pathOf(string(mod))
	if err != nil {
		return err
	}
	dir := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // a folder that the caller names
		return err
	}
	info := fmt.Sprintf("{\"Version\":%q,\"Time\":%q}\n", version, at.UTC().Format(time.RFC3339))
	for name, text := range map[string]string{"list": version + "\n", version + ".info": info, version + ".mod": string(mod)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil { //nolint:gosec // as above
			return err
		}
	}
	return Zip(filepath.Join(dir, version+".zip"), os.DirFS(source), module+"@"+version, at)
}

func pathOf(mod string) (string, error) {
	lines := bufio.NewScanner(strings.NewReader(mod))
	for lines.Scan() {
		if module, found := strings.CutPrefix(lines.Text(), "module "); found {
			return strings.TrimSpace(module), nil
		}
	}
	return "", errors.New("go.mod names no module")
}

// Zip writes the regular files of a folder into an archive, below prefix, but for those whose names begin with a point.
func Zip(name string, files fs.FS, prefix string, at time.Time) (err error) {
	f, err := os.Create(name) //nolint:gosec // a file that the caller names
	if err != nil {
		return err
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	z := zip.NewWriter(f)
	err = fs.WalkDir(files, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if p != "." && strings.HasPrefix(d.Name(), ".") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		text, err := fs.ReadFile(files, p)
		if err != nil {
			return err
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: path.Join(prefix, p), Method: zip.Deflate, Modified: at.UTC()})
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	})
	if err != nil {
		return err
	}
	return z.Close()
}
