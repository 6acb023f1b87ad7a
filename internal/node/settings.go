package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/mail"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/purge"
	"github.com/palmares-hq/palmares/internal/quota"
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
	return cfg, proxies, errors.Join(err, wrong, unblocked, engineURLs(cfg), snapshotFolder(cfg.SnapshotFile), services.KnownSeller(cfg.Stripe))
}

// engineURLs says what is wrong with where the engines are, by the functions that would connect to them.
func engineURLs(cfg config.Serve) error {
	var errs []error
	if cfg.URL != "" {
		errs = append(errs, postgres.CheckURL(cfg.URL.Reveal()))
	}
	if cfg.RedisURL != "" {
		_, err := quota.NewRedisTrusting(cfg.RedisURL.Reveal(), cfg.RedisCAFile)
		errs = append(errs, err)
	}
	if cfg.SMTPURL != "" && cfg.MailFrom != "" {
		_, err := mail.NewSender(mail.Options{URL: cfg.SMTPURL.Reveal(), From: cfg.MailFrom})
		errs = append(errs, err)
	}
	if cfg.PurgeURL != "" {
		_, err := purge.NewCache(cfg.PurgeCache, cfg.PurgeURL, cfg.PurgeToken.Reveal())
		errs = append(errs, err)
	} else if cfg.PurgeToken != "" {
		errs = append(errs, errors.New("PALMARES_PURGE_TOKEN is set, and PALMARES_PURGE_URL is not: the token is for the cache that the URL names"))
	}
	return errors.Join(errs...)
}

// CheckSettings says all that is wrong with the settings of a node, and what is odd about them. It asks no engine.
func CheckSettings(environ []string) (odd []string, err error) {
	cfg, proxies, err := readConfig(environ)
	return oddities(cfg, proxies), err
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

// oddities are what works, and is hardly meant.
func oddities(cfg config.Serve, proxies web.Proxies) (odd []string) {
	if cfg.Unsafe() {
		odd = append(odd, fmt.Sprintf("PALMARES_BASE_URL is %s, a public host without TLS: whoever is on the way reads keys and pages, "+
			"and nobody can sign in; set it to an https:// address", cfg.Base()))
	}
	for _, wide := range proxies.Wide() {
		odd = append(odd, fmt.Sprintf("PALMARES_TRUSTED_PROXIES trusts a very large network, %s: "+
			"whoever is in it can pretend to be any client; name the proxies' own", wide))
	}
	return append(odd, cfg.Oddities()...)
}

// warn logs what is odd about the settings.
func (b *builder) warn(environ []string, proxies web.Proxies) {
	for _, unknown := range config.UnknownVariables(environ) {
		b.logger.Warn(unknown.String())
	}
	for _, odd := range oddities(b.cfg, proxies) {
		b.logger.Warn(odd)
	}
}
