package node

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"syscall"

	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/mail"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/purge"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/services"
	"github.com/palmares-hq/palmares/internal/web"
)

// readConfig reads the settings. Its error lists everything that is wrong with them.
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

// engineURLs checks the URLs of the engines with the functions that would connect to them.
func engineURLs(cfg config.Serve) error {
	var errs []error
	if cfg.URL != "" && !cfg.URL.Unread() {
		errs = append(errs, postgres.CheckURL(cfg.URL.Reveal()))
	}
	if cfg.RedisURL != "" && !cfg.RedisURL.Unread() {
		_, err := quota.NewRedisTrusting(cfg.RedisURL.Reveal(), cfg.RedisCAFile)
		errs = append(errs, err)
	}
	if cfg.SMTPURL != "" && !cfg.SMTPURL.Unread() && cfg.MailFrom != "" {
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

// CheckSettings returns everything that is wrong or odd about the settings of a node. It connects to no engine.
func CheckSettings(environ []string) (odd []string, err error) {
	cfg, proxies, err := readConfig(environ)
	return oddities(cfg, proxies), err
}

// snapshotFolder returns an error if the disk copy can never be written to file.
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

// oddities returns warnings about settings that work but are probably not intended.
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

// warn logs unknown variables and the oddities of the settings.
func (b *builder) warn(environ []string, proxies web.Proxies) {
	for _, unknown := range config.UnknownVariables(environ) {
		b.logger.Warn(unknown.String())
	}
	for _, odd := range oddities(b.cfg, proxies) {
		b.logger.Warn(odd)
	}
}

// descriptors are the limits on connections by which a node shares its file descriptors, so that clients cannot use up
// those that the node itself needs.
type descriptors struct {
	public int // the most connections of clients
	admin  int // the most connections of operators
}

const (
	adminConns   = 32
	ownFiles     = 32 // listeners, the disk copy, traces, the log, what the runtime opens
	engineConns  = 48 // PostgreSQL and Redis
	sendingConns = 64 // deliveries under way
	idleConns    = 1000
)

// shareDescriptors shares limit descriptors out. Clients get what the node does not need itself, and at least a
// quarter.
func shareDescriptors(limit int, worker bool) descriptors {
	d := descriptors{admin: adminConns}
	own := ownFiles + engineConns + adminConns
	if worker {
		own += sendingConns + idleReceivers(limit)
	}
	d.public = max(limit-own, limit/4)
	return d
}

// idleReceivers returns how many idle connections to webhook receivers to keep at most.
func idleReceivers(limit int) int { return min(idleConns, limit/8) }

// descriptorLimit returns how many files and connections this process may have open. The Go runtime has already raised
// the soft limit to the hard one.
func descriptorLimit() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(limit.Cur)
}
