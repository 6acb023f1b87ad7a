package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/node"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

const debian = "../../deploy/debian"

// packageOf makes a package around something that is not the program.
func packageOf(t *testing.T, version string) (path string, files map[string]packaged) {
	t.Helper()
	dir := t.TempDir()
	stand := filepath.Join(dir, "palmares")
	testkit.Must(t, os.WriteFile(stand, []byte("#!/bin/sh\necho "+version+"\n"), 0o755))
	files, err := debFiles("../..", map[string]string{"usr/bin/palmares": stand})
	testkit.Must(t, err)
	tool(t, "dpkg-deb", "--version")
	path = filepath.Join(dir, "palmares_"+version+"_all.deb")
	var made string
	for range 2 { // the same bytes each time
		testkit.Must(t, makeDeb(t.Context(), path, debControl(version, "all", files), debian, files, time.Unix(1_700_000_000, 0)))
		deb := testkit.ReadFile(t, path)
		if made != "" && made != deb {
			t.Error("it is not the same twice")
		}
		made = deb
	}
	return path, files
}

// tool runs a program of Debian's and returns what it prints.
func tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		pgtest.SkipOrFail(t, "no %s: this test is for Debian (dpkg, systemd)", name)
	}
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func TestDeb_IsOne(t *testing.T) {
	t.Parallel()
	path, files := packageOf(t, "1.2.3")
	testkit.Equal(t, "the fields", tool(t, "dpkg-deb", "--field", path, "Package", "Version", "Architecture"),
		"Package: palmares\nVersion: 1.2.3\nArchitecture: all\n")
	listed := tool(t, "dpkg-deb", "--contents", path)
	for name, f := range files {
		mode := map[os.FileMode]string{0o755: "-rwxr-xr-x", 0o644: "-rw-r--r--", 0o600: "-rw-------"}[f.mode]
		if line := regexp.MustCompile(`(?m)^` + mode + ` root/root .* \./` + regexp.QuoteMeta(name) + `$`); !line.MatchString(listed) {
			t.Errorf("no %s %s in\n%s", mode, name, listed)
		}
	}
	if !strings.Contains(listed, "2023-11-14") || strings.Contains(listed, time.Now().Format(time.DateOnly)) {
		t.Errorf("files have another time than the one given:\n%s", listed)
	}
}

// The package is installed, upgraded, removed and purged below a folder.
func TestDeb_Installs(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		pgtest.SkipOrFail(t, "only root can install packages")
	}
	root := t.TempDir()
	for _, dir := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "var/log", "etc"} {
		testkit.Must(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	testkit.Must(t, os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o600))
	dpkg := func(args ...string) {
		t.Helper()
		tool(t, "dpkg", append([]string{"--root=" + root, "--force-script-chrootless", "--log=" + root + "/var/log/dpkg.log"}, args...)...)
	}
	there := func(name string, want bool) {
		t.Helper()
		if _, err := os.Stat(filepath.Join(root, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	first, _ := packageOf(t, "1.2.3")
	second, _ := packageOf(t, "1.2.4")
	dpkg("--install", first)
	testkit.Equal(t, "the program", tool(t, root+"/usr/bin/palmares"), "1.2.3\n")
	for file, want := range map[string]string{"etc/passwd": `(?m)^palmares:.*:/var/lib/palmares:/usr/sbin/nologin$`, "etc/group": `(?m)^palmares:`} {
		if text := testkit.ReadFile(t, filepath.Join(root, file)); !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("%s:\n%s", file, text)
		}
	}
	settings := filepath.Join(root, "etc/palmares/palmares.env")
	private := func(path string) {
		t.Helper()
		info, err := os.Stat(path)
		testkit.Must(t, err)
		testkit.Equal(t, "who may read "+filepath.Base(path), info.Mode().Perm(), os.FileMode(0o600))
	}
	private(settings)
	there("var/lib/palmares", true)

	// What the operator wrote stays, and only root reads it, a role's own settings included.
	var written []string
	for _, unit := range units[1:] {
		written = append(written, filepath.Join(root, "etc/palmares", unit.Role+".env"))
	}
	for _, path := range append(written, settings) {
		testkit.Must(t, os.WriteFile(path, []byte("PALMARES_LISTEN=:80\n"), 0o600))
		testkit.Must(t, os.Chmod(path, 0o644)) // an editor's, with the usual mask
	}
	dpkg("--install", second)
	for _, path := range append(written, settings) {
		private(path)
	}
	testkit.Equal(t, "the program", tool(t, root+"/usr/bin/palmares"), "1.2.4\n")
	testkit.Equal(t, "the settings", testkit.ReadFile(t, settings), "PALMARES_LISTEN=:80\n")
	dpkg("--remove", "palmares")
	there("usr/bin/palmares", false)
	there("etc/palmares/palmares.env", true)
	dpkg("--purge", "palmares")
	there("etc/palmares/palmares.env", true) // it was edited: nothing else knows what is in it
	there("var/lib/palmares", false)
	testkit.Must(t, os.RemoveAll(filepath.Join(root, "etc/palmares")))
	dpkg("--install", second)
	there("etc/palmares/palmares.env", true)
	dpkg("--purge", "palmares")
	there("etc/palmares", false)
}

// There is a unit for each role, systemd has no complaint about any, and each leaves little to whoever takes it over.
func TestDeb_Units(t *testing.T) {
	t.Parallel()
	var roles []string
	for _, u := range units[1:] {
		roles = append(roles, u.Role)
	}
	testkit.Equal(t, "the roles", roles, []string{node.API, node.Site, node.Worker})
	testkit.Equal(t, "all roles", units[0].Roles, strings.Join(roles, ","))
	prerm := testkit.ReadFile(t, debian+"/prerm")
	_, files := packageOf(t, "1.2.3")
	dir, programs := t.TempDir(), t.TempDir()
	for _, name := range []string{"palmares", "palmares-backup"} {
		testkit.Must(t, os.WriteFile(filepath.Join(programs, name), files["usr/bin/"+name].data, 0o755))
	}
	var paths []string
	for name, f := range files {
		if !strings.HasPrefix(name, "usr/lib/systemd/system/") {
			continue
		}
		path := filepath.Join(dir, filepath.Base(name))
		// On a machine where nothing is installed.
		text := strings.ReplaceAll(string(f.data), "/usr/bin/palmares", programs+"/palmares")
		text = strings.ReplaceAll(text, "man:palmares(1)", "https://github.com/palmares-hq/palmares")
		testkit.Must(t, os.WriteFile(path, []byte(text), 0o644))
		paths = append(paths, path)
		if bare := filepath.Base(name); bare != "palmares-migrate.service" && !strings.HasPrefix(bare, "palmares-backup") && !strings.Contains(prerm, bare) {
			t.Errorf("prerm does not stop %s", bare)
		}
	}
	slices.Sort(paths)
	testkit.Equal(t, "the number of units", len(paths), len(units)+5)
	if said := tool(t, "systemd-analyze", append([]string{"verify", "--man=no"}, paths...)...); strings.Contains(said, dir) || strings.Contains(said, "palmares") {
		t.Errorf("systemd-analyze verify:\n%s", said)
	}
	for _, path := range paths {
		if filepath.Ext(path) != ".service" {
			continue
		}
		// When a unit with RemoveIPC ends, systemd deletes the shared memory of all processes of its user: of other
		// nodes, and for the backup of the running PostgreSQL.
		if removes := regexp.MustCompile(`(?m)^RemoveIPC=(.*)$`).FindAllStringSubmatch(testkit.ReadFile(t, path), -1); len(removes) != 1 || removes[0][1] != "no" {
			t.Errorf("%s: want RemoveIPC=no once, because its user runs other services: %q", filepath.Base(path), removes)
		}
		// The threshold is in tenths.
		tool(t, "systemd-analyze", "security", "--offline=true", "--threshold=15", "--no-pager", path)
	}
}

func TestDebVersion(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"v1.2.3": "1.2.3", "v1.2.3-4-g0d22d5c": "1.2.3+4+g0d22d5c", "0d22d5c-dirty": "0~0d22d5c+dirty", "ad5d850": "0~ad5d850",
		"v1.2.3-rc.1": "1.2.3~rc.1",
	} {
		testkit.Equal(t, version, debVersion(version), want)
	}
	for _, order := range [][2]string{{"ad5d850", "v0.1.0"}, {"v1.2.3-rc.1", "v1.2.3"}, {"v1.2.3", "v1.2.3-4-g0d22d5c"}, {"v1.2.3-4-g0d22d5c", "v1.2.4"}} {
		tool(t, "dpkg", "--compare-versions", debVersion(order[0]), "lt", debVersion(order[1]))
	}
}
