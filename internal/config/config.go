package config

import (
	"errors"
	"fmt"
	"log/slog"
	"net/mail"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Database is the configuration of every command that uses PostgreSQL.
type Database struct {
	URL Secret `env:"DATABASE_URL"`
}

// Redis is the configuration of the quota counter; it may be missing.
type Redis struct {
	RedisURL    Secret `env:"REDIS_URL"`
	RedisCAFile string `env:"REDIS_CA_FILE"`
}

// Log configures the log.
type Log struct {
	LogLevel  slog.Level `env:"LOG_LEVEL" envDefault:"info"`
	LogFormat string     `env:"LOG_FORMAT" envDefault:"json"`
}

// Webhooks configures where deliveries may go and the secret that seals the endpoints' secrets.
type Webhooks struct {
	Secret          Secret   `env:"SECRET"`
	SecretPrevious  Secret   `env:"SECRET_PREVIOUS"` // opens what it sealed, until everything is resealed
	WebhookNetworks []string `env:"WEBHOOK_NETWORKS"`
}

// Mail configures how e-mail is sent; without a URL none is sent.
type Mail struct {
	SMTPURL  Secret `env:"SMTP_URL"`
	MailFrom string `env:"MAIL_FROM"`
}

// Signup configures who may sign up.
type Signup struct {
	Signup        string `env:"SIGNUP" envDefault:"open"`
	SignupBlocked string `env:"SIGNUP_BLOCKED"`
}

// Stripe configures how Pro is sold. Without it nothing is sold, and the operator sets plans.
type Stripe struct {
	StripeKey           Secret `env:"STRIPE_KEY"`
	StripeWebhookSecret Secret `env:"STRIPE_WEBHOOK_SECRET"`
	StripePrice         string `env:"STRIPE_PRICE"`
	SellerCountry       string `env:"SELLER_COUNTRY" envDefault:"FR"`
	SellerVAT           string `env:"SELLER_VAT" envDefault:"standard"`
	SellsTo             string `env:"SELLS_TO" envDefault:"businesses"`
	StripeTest          string `env:"STRIPE_TEST"` // who may buy with a test key on a public address; see Testers
	StripeURL           string `env:"STRIPE_URL"`  // a stand-in on this machine, for tests; "" is Stripe itself
}

// Admin is the address of a node's health checks and metrics.
type Admin struct {
	AdminListen string `env:"ADMIN_LISTEN" envDefault:"127.0.0.1:9090"`
}

// Address is the public address of the service.
type Address struct {
	BaseURL string `env:"BASE_URL"`
}

// Purge names the shared cache to purge after an edition.
type Purge struct {
	PurgeURL   string `env:"PURGE_URL"`
	PurgeCache string `env:"PURGE_CACHE" envDefault:"varnish"`
	PurgeToken Secret `env:"PURGE_TOKEN"`
}

// Publish is the configuration of a publication.
type Publish struct {
	Database
	Address
}

// Publisher is the configuration of publications from a remote git repository.
type Publisher struct {
	Publish
	Log
	PublishURL        string        `env:"PUBLISH_URL"` // used if --from-git is empty
	PublishBranch     string        `env:"PUBLISH_BRANCH" envDefault:"main"`
	PublishPath       string        `env:"PUBLISH_PATH" envDefault:"catalog"`
	PublishEvery      time.Duration `env:"PUBLISH_EVERY" envDefault:"1m"`
	PublishDir        string        `env:"PUBLISH_DIR"`
	PublishListen     string        `env:"PUBLISH_LISTEN" envDefault:"127.0.0.1:9093"`
	PublishUser       string        `env:"PUBLISH_USER" envDefault:"git"`
	PublishToken      Secret        `env:"PUBLISH_TOKEN"`
	PublishCAFile     string        `env:"PUBLISH_CA_FILE"`
	PublishKnownHosts string        `env:"PUBLISH_KNOWN_HOSTS"`
	PublishSSHKey     string        `env:"PUBLISH_SSH_KEY"`
	PublishTimeout    time.Duration `env:"PUBLISH_TIMEOUT" envDefault:"5m"`
	PublishMaxMB      int           `env:"PUBLISH_MAX_MB" envDefault:"1024"`
	PublishMaxFiles   int           `env:"PUBLISH_MAX_FILES" envDefault:"50000"`
}

// Serve is the configuration of a node.
type Serve struct {
	Database
	Address
	Admin
	Redis
	Log
	Webhooks
	Mail
	Signup
	Stripe
	Purge
	Listen         string        `env:"LISTEN" envDefault:":8080"`
	TrustedProxies []string      `env:"TRUSTED_PROXIES"`
	Contact        string        `env:"CONTACT"`
	SnapshotFile   string        `env:"SNAPSHOT_FILE"`
	DBConns        int           `env:"DB_CONNS" envDefault:"10"`
	CacheMB        int           `env:"CACHE_MB" envDefault:"64"`
	DrainDelay     time.Duration `env:"DRAIN_DELAY" envDefault:"2s"`
	TraceRatio     float64       `env:"TRACE_RATIO" envDefault:"0.01"`
	EventsKeep     Days          `env:"EVENTS_KEEP" envDefault:"400d"`
	QuotaWait      time.Duration `env:"QUOTA_WAIT" envDefault:"250ms"`
	HSTSSubdomains bool          `env:"HSTS_SUBDOMAINS"`
}

// processes are the configurations of the long-running processes. Together they read every variable there is.
var processes = []reflect.Type{reflect.TypeFor[Serve](), reflect.TypeFor[Publisher]()}

// How long a request may wait for the quota counter. With less, a busy Redis looks as if it were down; with
// more, the connection is closed first.
const (
	minQuotaWait = 10 * time.Millisecond
	maxQuotaWait = 500 * time.Millisecond
)

// minConns is the smallest number of database connections that a worker can run with.
const minConns = 4

// minSecret is the minimum length of PALMARES_SECRET and PALMARES_SECRET_PREVIOUS, in bytes.
const minSecret = 32

// ReadDatabase reads the configuration of commands that need only the database.
func ReadDatabase(environ []string) (Database, error) {
	var c Database
	err := parse(&c, environ)
	return c, errors.Join(err, c.validate())
}

// ReadAdmin reads the address of a node's health checks and metrics.
func ReadAdmin(environ []string) (Admin, error) {
	var c Admin
	err := parse(&c, environ)
	return c, err
}

// ReadRedis reads the configuration of the quota counter.
func ReadRedis(environ []string) (Redis, error) {
	var c Redis
	err := parse(&c, environ)
	return c, errors.Join(err, c.validate())
}

// ReadAddress reads the public address of the service.
func ReadAddress(environ []string) (Address, error) {
	var c Address
	err := parse(&c, environ)
	return c, errors.Join(err, c.validate())
}

// ReadWebhooks reads what commands about webhooks need in addition to the database.
func ReadWebhooks(environ []string) (Webhooks, error) {
	var c Webhooks
	err := parse(&c, environ)
	return c, errors.Join(err, c.validate())
}

// ReadPublish reads the configuration of a publication.
func ReadPublish(environ []string) (Publish, error) {
	var c Publish
	err := parse(&c, environ)
	return c, errors.Join(err, c.Database.validate(), c.Address.validate())
}

// ReadServe reads the configuration of a node.
func ReadServe(environ []string) (Serve, error) {
	var c Serve
	err := parse(&c, environ)
	return c, errors.Join(err, c.Database.validate(), c.Address.validate(), c.Redis.validate(), c.Log.validate(), c.Webhooks.validate(),
		c.Signup.validate(), c.Stripe.validate(), c.validate())
}

func (c Database) validate() error {
	if c.URL == "" {
		return errors.New("PALMARES_DATABASE_URL is not set: " +
			"it names the PostgreSQL database, such as postgres://user@host:5432/palmares")
	}
	return nil
}

func (c Redis) validate() error {
	if c.RedisCAFile != "" && c.RedisURL == "" {
		return errors.New("PALMARES_REDIS_CA_FILE is set, and PALMARES_REDIS_URL is not: " +
			"the file is to check the certificate of the Redis that the URL names")
	}
	return nil
}

func (c Log) validate() error {
	if !slices.Contains([]string{"json", "text"}, c.LogFormat) {
		return fmt.Errorf("PALMARES_LOG_FORMAT is %q: it is json or text", c.LogFormat)
	}
	return nil
}

func (c Webhooks) validate() error {
	switch {
	case c.Secret == "":
		return errors.New("PALMARES_SECRET is not set: " +
			"it is the key of what the node signs; make one with: openssl rand -hex 32")
	case len(c.Secret) < minSecret:
		return fmt.Errorf("PALMARES_SECRET has %d characters: "+
			"it needs %d at least; make one with: openssl rand -hex 32", len(c.Secret), minSecret)
	case c.SecretPrevious != "" && len(c.SecretPrevious) < minSecret:
		return fmt.Errorf("PALMARES_SECRET_PREVIOUS has %d characters: "+
			"it needs %d at least; it is what PALMARES_SECRET was before, or not set",
			len(c.SecretPrevious), minSecret)
	}
	return nil
}

// Networks returns the networks that deliveries may reach although they are not public.
func (c Webhooks) Networks() ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, s := range c.WebhookNetworks {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return nil, fmt.Errorf("PALMARES_WEBHOOK_NETWORKS: "+
				"%q is no network such as 10.0.0.0/8", s)
		}
		all = append(all, p.Masked())
	}
	return all, nil
}

// Base returns the service's own address without a trailing slash, or "" if it is unknown.
func (c Address) Base() string { return strings.TrimRight(c.BaseURL, "/") }

// validBase reports whether the address can precede a path in links, in the OpenAPI document and in
// a header, which is ASCII and reserves some characters.
func (c Address) validBase() bool {
	u, err := url.Parse(c.BaseURL)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil &&
		!strings.ContainsAny(c.BaseURL, "?#<>\"'\\^`{|},; ") &&
		!strings.ContainsFunc(c.BaseURL, func(r rune) bool { return r < '!' || r > '~' })
}

func (c Address) validate() error {
	if c.BaseURL == "" {
		return nil
	}
	if strings.Contains(c.BaseURL, "@") { // what is before it may be a password
		return errors.New("PALMARES_BASE_URL has a user in it: it is the service's own address, such as https://api.example.org")
	}
	if !c.validBase() {
		return fmt.Errorf("PALMARES_BASE_URL is %q: "+
			"it is the service's own address, such as https://api.example.org", c.BaseURL)
	}
	if u, err := url.Parse(c.BaseURL); err == nil && strings.Trim(u.Path, "/") != "" {
		return fmt.Errorf("PALMARES_BASE_URL is %q: it has a path, and the service takes its whole host: write %s://%s",
			c.BaseURL, u.Scheme, u.Host)
	}
	return nil
}

func (c Serve) validate() error {
	var errs []error
	if (c.SMTPURL == "") != (c.MailFrom == "") {
		errs = append(errs, errors.New("PALMARES_SMTP_URL and PALMARES_MAIL_FROM go together: "+
			"one of them is not set"))
	}
	if c.Sells() && c.BaseURL == "" {
		errs = append(errs, errors.New("PALMARES_BASE_URL is not set: "+
			"with PALMARES_STRIPE_KEY it is where customers come back to after paying"))
	}
	if c.Unsafe() && (c.SMTPURL != "" || c.Sells()) {
		errs = append(errs, fmt.Errorf("PALMARES_BASE_URL is %q: whoever is on the way reads what http carries, "+
			"so nobody could sign in or pay there: write https://, or unset PALMARES_SMTP_URL and PALMARES_STRIPE_KEY", c.BaseURL))
	}
	errs = append(errs, checkListeners(c.Listen, c.AdminListen))
	if a, err := mail.ParseAddress(c.Contact); c.Contact != "" && (err != nil || a.Address != c.Contact) {
		errs = append(errs, fmt.Errorf("PALMARES_CONTACT is %q: "+
			"it is an e-mail address, such as catalog@example.org", c.Contact))
	}
	if c.TraceRatio < 0 || c.TraceRatio > 1 {
		errs = append(errs, fmt.Errorf("PALMARES_TRACE_RATIO is %v: "+
			"it is the share of requests to trace, from 0 to 1", c.TraceRatio))
	}
	if c.DBConns < minConns || c.DBConns > 1000 {
		errs = append(errs, fmt.Errorf("PALMARES_DB_CONNS is %d: "+
			"it is a number of connections, %d at least", c.DBConns, minConns))
	}
	if c.CacheMB < 1 || c.CacheMB > 1<<20 {
		errs = append(errs, fmt.Errorf("PALMARES_CACHE_MB is %d: "+
			"it is a number of megabytes, 1 at least", c.CacheMB))
	}
	if c.DrainDelay < 0 {
		errs = append(errs, fmt.Errorf("PALMARES_DRAIN_DELAY is %v: "+
			"it cannot be negative", c.DrainDelay))
	}
	if c.EventsKeep < minEventsKeep {
		errs = append(errs, fmt.Errorf("PALMARES_EVENTS_KEEP is %v: "+
			"it is %v at least, because deliveries are kept for 30 days", c.EventsKeep, minEventsKeep))
	}
	if c.QuotaWait < minQuotaWait || c.QuotaWait > maxQuotaWait {
		errs = append(errs, fmt.Errorf("PALMARES_QUOTA_WAIT is %v: "+
			"it is how long a request waits for Redis, from %v to %v", c.QuotaWait, minQuotaWait, maxQuotaWait))
	}
	return errors.Join(errs...)
}
