package sampletest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

//go:embed typescript/package.json typescript/package-lock.json
var typescript embed.FS

// scripts are the programs in the directory of TypeScript. The script node replaces the real one, which runs TypeScript
// only from version 22.18 on and without checking types. The script checks the types, and works with older versions
// too. skipLibCheck skips checking the declarations of the libraries and of node, which would take three quarters of
// the time.
var scripts = map[string]string{
	"tsc": `#!/bin/sh
exec %[1]s %[2]s/node_modules/typescript/bin/tsc --strict --skipLibCheck --noEmitOnError --target es2022 --module esnext --moduleDetection force \
  --moduleResolution bundler --lib es2022,dom --typeRoots %[2]s/node_modules/@types --types node "$@" >&2
`,
	"node": `#!/bin/sh
set -eu
case ${1-} in
*.ts)
  out=$(mktemp -d)
  %[2]s/tsc --outDir "$out" "$1"
  name=$(basename "$1" .ts)
  mv "$out/$name.js" "$out/$name.mjs"
  shift
  exec %[1]s "$out/$name.mjs" "$@"
  ;;
*) exec %[1]s "$@" ;;
esac
`,
}

// TypeScript returns a directory with a program node, which checks and runs TypeScript, and a program tsc, which checks
// and compiles it. The compiler is installed once for all tests of the machine, in the version of package-lock.json.
var TypeScript = sync.OnceValues(func() (dir string, err error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	files := make(map[string][]byte)
	for _, name := range []string{"package.json", "package-lock.json"} {
		if files[name], err = typescript.ReadFile("typescript/" + name); err != nil {
			return "", err
		}
		sum.Write(files[name])
	}
	fmt.Fprint(sum, node, scripts) // maps are printed in order
	dir = filepath.Join(os.TempDir(), fmt.Sprintf("palmares-typescript-%x", sum.Sum(nil)[:8]))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	return dir, install(dir, node, files)
})

// install creates dir with the compiler and the scripts. It builds another directory and renames it, because other
// tests may be installing at the same time.
func install(dir, node string, files map[string][]byte) error {
	made, err := os.MkdirTemp(filepath.Dir(dir), "palmares-typescript-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(made) }() // removes nothing if it was renamed
	for name, body := range files {
		if err := os.WriteFile(filepath.Join(made, name), body, 0o600); err != nil {
			return err
		}
	}
	npm := exec.CommandContext(context.Background(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	npm.Dir = made
	if out, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, bytes.TrimSpace(out))
	}
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(made, name), fmt.Appendf(nil, script, node, dir), 0o700); err != nil {
			return err
		}
	}
	if err := os.Rename(made, dir); err != nil {
		if _, there := os.Stat(dir); there == nil {
			return nil
		}
		return err
	}
	return nil
}
