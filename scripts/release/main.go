// Command release builds the files of a release: for each platform static, stripped binaries of palmares and
// palmares-audit, their bills of materials and a Debian package, and for all of them the licences of everything linked in, and checksums. The
// same source gives the same bytes, wherever and whenever it is built.
package main

import (
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/gomodule"
)

// A program is a binary of a release.
type program struct {
	name   string // of its files
	module string // the folder of its module in the repository
	path   string // of its package
}

var (
	service = program{"palmares", ".", "github.com/palmares-hq/palmares/cmd/palmares"}
	audit   = program{"palmares-audit", "clients/go", "github.com/palmares-hq/palmares/clients/go/cmd/palmares-audit"}
)

type options struct {
	dir             string
	platforms       []string // such as linux/amd64
	version, commit string
	time            time.Time // modification time of files in packages
}

// linkerFlags returns flags that set the program's version and commit. The linker sets them, not git, so that a
// copy of the files without git builds the same bytes.
func (o options) linkerFlags() string {
	return fmt.Sprintf("-s -w -X main.version=%s -X main.commit=%s", o.version, o.commit)
}

const hostPlatform = runtime.GOOS + "/" + runtime.GOARCH

func main() {
	var o options
	flag.StringVar(&o.dir, "o", "build/release", "where to write the files")
	platforms := flag.String("platforms", "linux/amd64 linux/arm64", "what to build for")
	flag.StringVar(&o.version, "version", "", "the version that the binaries tell")
	flag.StringVar(&o.commit, "commit", "", "the commit that they tell")
	epoch := flag.Int64("time", -1, "the time of files in packages, in seconds since 1970: that of the commit (SOURCE_DATE_EPOCH)")
	flag.Parse()
	o.time = time.Unix(*epoch, 0).UTC()
	o.platforms = strings.Fields(*platforms)
	if err := release(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func release(ctx context.Context, o options) error {
	if o.version == "" || o.commit == "" || len(o.platforms) == 0 || o.time.Unix() < 0 {
		return errors.New("-version, -commit, -platforms and -time are needed")
	}
	if err := os.RemoveAll(o.dir); err != nil {
		return err
	}
	if err := os.MkdirAll(o.dir, 0o755); err != nil {
		return err
	}
	for _, p := range []program{service, audit} {
		for _, platform := range o.platforms {
			if err := p.buildFor(ctx, o, platform); err != nil {
				return fmt.Errorf("%s for %s: %w", p.name, platform, err)
			}
		}
	}
	text, err := notices(ctx, o.platforms)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.dir, "THIRD_PARTY_NOTICES.txt"), text, 0o644); err != nil {
		return err
	}
	if err := writeDebs(ctx, o); err != nil {
		return fmt.Errorf("packages: %w", err)
	}
	if err := writeClient(o); err != nil {
		return fmt.Errorf("clients/go: %w", err)
	}
	return writeSums(o.dir)
}

// writeClient writes the Go client as a folder that go get takes it from.
func writeClient(o options) error {
	text, err := os.ReadFile("clients/go/palmares.go")
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(string(text), "\nconst Version = \"")
	version, _, found := strings.Cut(rest, "\"")
	if !found {
		return errors.New("palmares.go has no Version")
	}
	dir, err := os.MkdirTemp("", "palmares-go-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := gomodule.Write("clients/go", dir, "v"+version, o.time); err != nil {
		return err
	}
	return gomodule.Zip(filepath.Join(o.dir, "palmares-go_"+version+".zip"), os.DirFS(dir), "palmares-go", o.time)
}

// buildFor writes the binary for a platform and its bill of materials.
func (p program) buildFor(ctx context.Context, o options, platform string) error {
	path, err := filepath.Abs(filepath.Join(o.dir, p.name+"_"+strings.ReplaceAll(platform, "/", "_")))
	if err != nil {
		return err
	}
	if _, err := p.run(ctx, platform, "build", "-trimpath", "-buildvcs=false", "-o", path, "-ldflags", o.linkerFlags(), p.path); err != nil {
		return err
	}
	if err := checkStatic(path); err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	sum, err := sha256File(path)
	if err != nil {
		return err
	}
	texts, err := linkedLicences(ctx, platform, p)
	if err != nil {
		return err
	}
	licences, err := identifyAll(texts)
	if err != nil {
		return err
	}
	files, err := fonts(ctx, platform, p)
	if err != nil {
		return err
	}
	document, err := bill(info, o.version, sum, licences, files)
	if err != nil {
		return err
	}
	return os.WriteFile(path+".cdx.json", document, 0o644)
}

// run runs a go command for a platform, in the program's module.
func (p program) run(ctx context.Context, platform, verb string, args ...string) ([]byte, error) {
	top, err := moduleDir(ctx, platform)
	if err != nil {
		return nil, err
	}
	return goFor(ctx, platform, append([]string{verb, "-C", filepath.Join(top, p.module)}, args...)...)
}

// goFor runs the go command for a platform, without cgo, and returns its output.
func goFor(ctx context.Context, platform string, args ...string) ([]byte, error) {
	system, arch, found := strings.Cut(platform, "/")
	if !found {
		return nil, fmt.Errorf("%q is no platform such as linux/amd64", platform)
	}
	cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // our own arguments
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=", "GOWORK=off")
	out, err := cmd.Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, exit.Stderr)
	}
	return out, err
}

// checkStatic returns an error for a binary that needs a dynamic loader: a container image built from scratch
// has none.
func checkStatic(path string) error {
	f, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			return fmt.Errorf("%s is not statically linked", path)
		}
	}
	return nil
}

// writeSums writes the checksums of all files in the directory, for sha256sum -c.
func writeSums(dir string) error {
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, e := range entries {
		sum, err := sha256File(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", sum, e.Name())
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(text.String()), 0o644)
}

func sha256File(path string) ([sha256.Size]byte, error) {
	b, err := os.ReadFile(path)
	return sha256.Sum256(b), err
}
