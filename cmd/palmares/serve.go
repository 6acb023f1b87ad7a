package main

import (
	"context"
	"errors"
	"os"

	"github.com/palmares-hq/palmares/internal/node"
)

type serveCommand struct {
	Roles []string `default:"api,site,worker" enum:"api,site,worker" help:"What the node does: api answers requests for JSON, site for pages, worker delivers webhooks and sends e-mail."`
}

// Help is shown by palmares serve --help.
func (serveCommand) Help() string {
	return `Runs a node until it is interrupted. The roles api and site follow the published
editions and answer from memory: api under /api, site with pages everywhere else. With a disk copy
of the last edition (PALMARES_SNAPSHOT_FILE) a node can start while the database is down. The role
worker delivers webhooks to the endpoints of Pro accounts; any number of workers share the work.

On SIGTERM the node reports that it is not ready, keeps answering for PALMARES_DRAIN_DELAY so that
load balancers notice, finishes the requests and jobs under way, and exits.

Each variable that holds a secret or the address of an engine can be in a file instead: that of
PALMARES_DATABASE_URL is named by PALMARES_DATABASE_URL_FILE, and so on.

Variables:
  PALMARES_DATABASE_URL     the database (required)
  PALMARES_SECRET           the key that signs and seals, at least 32 characters, the same on all nodes (required)
  PALMARES_SECRET_PREVIOUS  the previous PALMARES_SECRET, until palmares webhook reseal has run
  PALMARES_REDIS_URL        the quota counters, shared by all nodes; without it each node counts alone
  PALMARES_REDIS_CA_FILE    the certificates of the authorities that a Redis with TLS (rediss://) may have its own from (those of the machine)
  PALMARES_QUOTA_WAIT       how long a request waits for them at most, 10ms to 500ms (250ms)
  PALMARES_BASE_URL         the service's public URL, for absolute links, the OpenAPI document, pages and e-mail; without it a node on a loopback address names that
  PALMARES_HSTS_SUBDOMAINS  true: every name below that of an https PALMARES_BASE_URL has https too, and browsers are told so (false)
  PALMARES_CONTACT          the e-mail address that readers of the site report errors to (none)
  PALMARES_LISTEN           the public address (:8080)
  PALMARES_ADMIN_LISTEN     the operators' address: /livez /readyz /metrics /debug/pprof/ (127.0.0.1:9090)
  PALMARES_SNAPSHOT_FILE    the disk copy of the last edition; the API keys are beside it, with .keys (none)
  PALMARES_DB_CONNS         how many connections to the database the role worker may have (10)
  PALMARES_CACHE_MB         megabytes of cached responses, and as many again of pages (64)
  PALMARES_TRUSTED_PROXIES  networks whose X-Forwarded-For is believed, separated by commas (none)
  PALMARES_PURGE_URL        the shared cache that is told what an edition changed, and for which responses say what they show (none)
  PALMARES_PURGE_CACHE      what it is: varnish, fastly or cloudflare (varnish)
  PALMARES_PURGE_TOKEN      the token that it wants
  PALMARES_WEBHOOK_NETWORKS networks that are not public but may receive webhooks, separated by commas (none)
  PALMARES_EVENTS_KEEP      how long workers keep events, at least 31d (400d)
  PALMARES_SMTP_URL         the mail server, smtp://user:password@host:587; without it nobody can sign in, and nobody is told of paused endpoints
  PALMARES_MAIL_FROM        the sender of e-mail
  PALMARES_SIGNUP           open or closed: whether addresses without an account may sign up (open)
  PALMARES_SIGNUP_BLOCKED   domains that may not, subdomains included, separated by commas, or the path of a file with one per line (none)
  PALMARES_STRIPE_KEY       the secret key of the Stripe account that sells Pro; without it and the next two nothing is sold
  PALMARES_STRIPE_WEBHOOK_SECRET the secret that signs Stripe's events
  PALMARES_STRIPE_PRICE     the id of the price at Stripe: 99 EUR a month, excluding tax
  PALMARES_STRIPE_URL       for tests: a stand-in for Stripe on this machine
  PALMARES_STRIPE_TEST      with a key of test mode on a public address: the e-mail addresses that may buy, separated by commas (none: nothing is sold)
  PALMARES_SELLS_TO         to whom Pro is sold; businesses is the only value (businesses)
  PALMARES_SELLER_COUNTRY   the country of the seller, for estimates of VAT (FR)
  PALMARES_SELLER_VAT       by which rules: standard, small_seller or franchise (standard)
  PALMARES_DRAIN_DELAY      how long to keep answering after SIGTERM (2s)
  PALMARES_LOG_LEVEL        debug, info, warn or error (info)
  PALMARES_LOG_FORMAT       json or text (json)
  PALMARES_TRACE_RATIO      the share of requests to trace (0.01) once OTEL_EXPORTER_OTLP_ENDPOINT is set; at most 50 a second`
}

// Validate refuses a node without a role.
func (c serveCommand) Validate() error {
	if len(c.Roles) == 0 {
		return errors.New("--roles is empty: name api, site or worker")
	}
	return nil
}

func (c serveCommand) Run(ctx context.Context, con *console) error {
	return node.Main(ctx, node.Options{
		Environ: os.Environ(), Roles: c.Roles, Log: con.err, Version: currentVersion(), Commit: currentCommit(),
	})
}
