package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/services"
	"github.com/palmares-hq/palmares/internal/web"
)

// readConfig reads the settings and finds all that is wrong with them.
func readConfig(environ []string) (config.Serve, web.Proxies, error) {
	cfg, err := config.ReadServe(environ)
	proxies, wrong := web.ParseProxies(cfg.TrustedProxies)
	if wrong != nil {
		err = errors.Join(err, fmt.Errorf("PALMARES_TRUSTED_PROXIES: %w", wrong))
	}
	_, wrong = cfg.Networks()
	_, unblocked := cfg.Blocked()
	return cfg, proxies, errors.Join(err, wrong, unblocked, snapshotFolder(cfg.SnapshotFile), services.KnownSeller(cfg.Stripe))
}

// CheckSettings says all that is wrong with the settings of a node. It asks no engine.
func CheckSettings(environ []string) error {
	_, _, err := readConfig(environ)
	return err
}

// snapshotFolder says why no disk copy could ever be written.
func snapshotFolder(file string) error {
	if file == "" {
		return nil
	}
	dir := filepath.Dir(file)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("PALMARES_SNAPSHOT_FILE: there is no folder %s: make it, or name another file", dir)
	case err != nil:
		return fmt.Errorf("PALMARES_SNAPSHOT_FILE: %w", err)
	case !info.IsDir():
		return fmt.Errorf("PALMARES_SNAPSHOT_FILE: %s is a file, not a folder: name another file", dir)
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return fmt.Errorf("PALMARES_SNAPSHOT_FILE: %s is a folder: name a file", file)
	}
	return nil
}

// warn logs what is odd about the settings.
func (b *builder) warn(environ []string, proxies web.Proxies) {
	for _, unknown := range config.UnknownVariables(environ) {
		b.logger.Warn(unknown.String())
	}
	if b.cfg.Unsafe() {
		b.logger.Warn("PALMARES_BASE_URL begins with http:// and has a public host: whoever is on the way reads keys and pages, "+
			"and nobody can sign in; set it to an https:// address", "base_url", b.cfg.Base())
	}
	for _, wide := range proxies.Wide() {
		b.logger.Warn("PALMARES_TRUSTED_PROXIES trusts a very large network: "+
			"whoever is in it can pretend to be any client; name the proxies' own", "network", wide.String())
	}
}
