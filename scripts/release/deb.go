package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/md5" //nolint:gosec // the format of a package asks for it, and nothing trusts it
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"time"
)

// packaged is a file that the package installs.
type packaged struct {
	mode os.FileMode
	data []byte
}

// units are the service units of the package: a node with all roles, and one for each role. Those have ports of
// their own, so that all of them can run on one machine.
var units = []struct {
	Name, Role, Roles, State string
	Port, AdminPort          int
}{
	{"palmares.service", "", "api,site,worker", "palmares/node", 8080, 9090},
	{"palmares-api.service", "api", "api", "palmares/api", 8080, 9090},
	{"palmares-site.service", "site", "site", "palmares/site", 8081, 9091},
	{"palmares-worker.service", "worker", "worker", "palmares/worker", 8082, 9092},
}

// writeDebs writes a package for linux/amd64 and linux/arm64, if they are among the platforms. Without dpkg-deb
// it prints a note and writes none; in CI it fails.
func writeDebs(ctx context.Context, o options) error {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		if os.Getenv("CI") == "true" {
			return err
		}
		fmt.Fprintln(os.Stderr, "no dpkg-deb here: the packages for Debian are left out")
		return nil
	}
	manual, err := manual(ctx, o)
	if err != nil {
		return err
	}
	top, err := moduleDir(ctx, o.platforms[0])
	if err != nil {
		return err
	}
	for _, platform := range o.platforms {
		arch, linux := strings.CutPrefix(platform, "linux/")
		if !linux || arch != "amd64" && arch != "arm64" { // Debian names the other architectures differently
			continue
		}
		binary := filepath.Join(o.dir, "palmares_linux_"+arch)
		files, err := debFiles(top, map[string]string{
			"usr/bin/palmares": binary, "usr/share/doc/palmares/palmares.cdx.json": binary + ".cdx.json",
			"usr/share/doc/palmares/THIRD_PARTY_NOTICES.txt": filepath.Join(o.dir, "THIRD_PARTY_NOTICES.txt"),
		})
		if err != nil {
			return err
		}
		files["usr/share/man/man1/palmares.1.gz"] = packaged{0o644, manual}
		version := debVersion(o.version)
		if err := addHistory(files, top, version, o.time); err != nil {
			return err
		}
		out := filepath.Join(o.dir, "palmares_"+version+"_"+arch+".deb")
		if err := makeDeb(ctx, out, debControl(version, arch, files), filepath.Join(top, "deploy/debian"), files, o.time); err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
	}
	return nil
}

// manual returns the compressed manual page, which the program prints when run on this machine.
func manual(ctx context.Context, o options) ([]byte, error) {
	text, err := goFor(ctx, hostPlatform, "run", "-trimpath", "-buildvcs=false", "-ldflags", o.linkerFlags(), service.path, "man")
	if err != nil {
		return nil, err
	}
	return compress(text)
}

// addHistory adds what Debian requires of every package: a manual page for each program, and a changelog, which
// refers to the one written for people.
func addHistory(files map[string]packaged, top, version string, at time.Time) error {
	page, err := os.ReadFile(filepath.Join(top, "deploy/backup/palmares-backup.1"))
	if err != nil {
		return err
	}
	changes, err := os.ReadFile(filepath.Join(top, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	entry := fmt.Sprintf("palmares (%s) stable; urgency=medium\n\n  * See NEWS.md.gz beside this file.\n\n -- %s  %s\n", version, maintainer, at.UTC().Format(time.RFC1123Z))
	for name, text := range map[string][]byte{
		"man/man1/palmares-backup.1.gz": page, "doc/palmares/changelog.gz": []byte(entry), "doc/palmares/NEWS.md.gz": changes,
	} {
		data, err := compress(text)
		if err != nil {
			return err
		}
		files["usr/share/"+name] = packaged{0o644, data}
	}
	return nil
}

// maintainer is the package's Maintainer field.
const maintainer = "The Palmarès authors <nobody@palmares.invalid>"

// debFiles reads the files to install, by path. from maps the paths of binaries and documents to their sources;
// the other files come from deploy/debian.
func debFiles(top string, from map[string]string) (map[string]packaged, error) {
	files := make(map[string]packaged)
	from = maps.Clone(from)
	for name, source := range map[string]string{
		"usr/lib/sysusers.d/palmares.conf": "sysusers.conf", "usr/lib/tmpfiles.d/palmares.conf": "tmpfiles.conf",
		"usr/share/palmares/palmares.env": "palmares.env", "usr/share/palmares/publisher.env": "publisher.env", "usr/share/doc/palmares/copyright": "copyright",
		"usr/share/lintian/overrides/palmares": "lintian-overrides",
	} {
		from[name] = filepath.Join(top, "deploy/debian", source)
	}
	from["usr/bin/palmares-backup"] = filepath.Join(top, "deploy/backup/palmares-backup")
	if err := addDocuments(from, top); err != nil {
		return nil, err
	}
	for name, source := range from {
		data, err := os.ReadFile(source)
		if err != nil {
			return nil, err
		}
		mode := os.FileMode(0o644)
		if path.Dir(name) == "usr/bin" {
			mode = 0o755
		}
		files[name] = packaged{mode, data}
	}
	parsed, err := template.ParseGlob(filepath.Join(top, "deploy/debian/*.tmpl"))
	if err != nil {
		return nil, err
	}
	for _, unit := range units {
		if err := addUnit(files, parsed.Lookup("palmares.service.tmpl"), unit.Name, unit); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"palmares-migrate.service", "palmares-publisher.service", "palmares-backup.service", "palmares-backup-failed.service", "palmares-backup.timer"} {
		if err := addUnit(files, parsed.Lookup(name+".tmpl"), name, nil); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// addDocuments adds what operators read and copy: guides, runbooks, alerting rules, dashboards and proxy
// configurations.
func addDocuments(from map[string]string, top string) error {
	const doc = "usr/share/doc/palmares/"
	for name, source := range map[string]string{
		"examples/nginx.conf": "deploy/nginx/palmares.conf", "examples/Caddyfile": "deploy/caddy/Caddyfile",
		"examples/default.vcl": "deploy/varnish/default.vcl", "examples/prometheus/prometheus.yaml": "deploy/prometheus/prometheus.yaml",
		"examples/prometheus/rules.yaml": "deploy/prometheus/rules.yaml",
		"operations.md":                  "docs/operations.md", "cdn.md": "docs/cdn.md", "content-format.md": "docs/content-format.md",
	} {
		from[doc+name] = filepath.Join(top, source)
	}
	for pattern, to := range map[string]string{"deploy/grafana/*.json": "examples/grafana/", "docs/operations/*.md": "operations/"} {
		found, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil {
			return err
		}
		for _, source := range found {
			from[doc+to+filepath.Base(source)] = source
		}
	}
	return nil
}

func addUnit(files map[string]packaged, text *template.Template, name string, values any) error {
	var b bytes.Buffer
	if err := text.Execute(&b, values); err != nil {
		return err
	}
	files["usr/lib/systemd/system/"+name] = packaged{0o644, b.Bytes()}
	return nil
}

var (
	candidate    = regexp.MustCompile(`-(alpha|beta|pre|rc)`)
	notInVersion = regexp.MustCompile(`[^A-Za-z0-9.+~]+`)
)

// debVersion returns a version that Debian sorts correctly: v1.2.3-rc.1 is older than v1.2.3, commits after a
// tag are newer than the tag, and a commit without a tag is older than everything.
func debVersion(version string) string {
	version = candidate.ReplaceAllString(version, "~$1")
	version = notInVersion.ReplaceAllString(strings.TrimPrefix(version, "v"), "+")
	if version == "" || version[0] < '0' || version[0] > '9' || !strings.Contains(version, ".") {
		return "0~" + version
	}
	return version
}

// debControl returns the control file of the package.
func debControl(version, arch string, files map[string]packaged) string {
	size := 0
	for _, f := range files {
		size += (len(f.data) + 1023) / 1024
	}
	return fmt.Sprintf(`Package: palmares
Version: %s
Architecture: %s
Maintainer: %s
Installed-Size: %d
Recommends: systemd
Suggests: postgresql, pgbackrest, redis-server | valkey-server, caddy | nginx, git, openssh-client
Section: web
Priority: optional
Homepage: https://github.com/palmares-hq/palmares
Description: public catalogue of tested tools, from files in git
 Checks content files, publishes them as numbered editions and serves them as
 a site and a read-only JSON API, from memory, on any number of nodes.
`, version, arch, maintainer, size)
}

// makeDeb builds a package from a control file, the maintainer scripts in a directory, and the files to
// install. dpkg-deb sets all times to at and all owners to root.
func makeDeb(ctx context.Context, out, control, scripts string, files map[string]packaged, at time.Time) error {
	var sums strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(files[name].data), name) //nolint:gosec // see the import
	}
	files = maps.Clone(files)
	files["DEBIAN/control"], files["DEBIAN/md5sums"] = packaged{0o644, []byte(control)}, packaged{0o644, []byte(sums.String())}
	for _, name := range []string{"preinst", "postinst", "prerm", "postrm"} {
		text, err := os.ReadFile(filepath.Join(scripts, name))
		if err != nil {
			return err
		}
		files["DEBIAN/"+name] = packaged{0o755, text}
	}
	tree, err := os.MkdirTemp("", "palmares-deb-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tree) //nolint:errcheck // it is a temporary one
	if err := writeTree(tree, files); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "dpkg-deb", "--root-owner-group", "-Zxz", "--build", tree, out) //nolint:gosec // both are ours
	cmd.Env = append(os.Environ(), fmt.Sprint("SOURCE_DATE_EPOCH=", at.Unix()))
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("dpkg-deb: %w\n%s", err, said)
	}
	return nil
}

// writeTree writes files with their modes, regardless of the umask.
func writeTree(tree string, files map[string]packaged) error {
	if err := os.Chmod(tree, 0o755); err != nil { //nolint:gosec // it becomes the root of a machine
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, dir := files[name], tree
		for part := range strings.SplitSeq(path.Dir(name), "/") {
			dir = filepath.Join(dir, part)
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // as above
				return err
			}
		}
		file := filepath.Join(tree, name)
		if err := os.WriteFile(file, f.data, f.mode); err != nil {
			return err
		}
		if err := os.Chmod(file, f.mode); err != nil {
			return err
		}
	}
	return nil
}

// compress compresses with gzip, without a time or a name in the header, so that the same data gives the same
// bytes.
func compress(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(data)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}
