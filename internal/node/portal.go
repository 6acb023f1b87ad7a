package node

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/metrics"
	"github.com/palmares-hq/palmares/internal/portal"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/surface"
)

// portalPool is for account pages. They have their own, so that they wait for no other requests.
var portalPool = pool{"palmares portal", 4, requestPatience}

// addPortal adds the account pages.
func (b *builder) addPortal(ctx context.Context) error {
	db, err := b.database(ctx, portalPool)
	if err != nil {
		return err
	}
	follower, err := b.catalog(ctx, nil)
	if err != nil {
		return err
	}
	redis, breaker, err := b.ownRedis()
	if err != nil {
		return err
	}
	accounts, err := b.accounts(ctx, portalPool)
	if err != nil {
		return err
	}
	asked := metrics.NewCounters(b.registry, "palmares_signin_total",
		"What happened at signing in: asked, signed in, client limit, account limit.", "outcome",
		"asked", "signed in", "client limit", "account limit")
	met := metrics.NewCounters(b.registry, "palmares_account_limits_total",
		"What accounts were refused because they do it too often.", "limit", portal.LimitNames()...)
	refused := metrics.NewCounters(b.registry, "palmares_account_refused_total",
		"Requests for account pages that were refused: too many at once on this node, of one client, "+
			"or waiting for servers that are not ours (outside).", "why", portal.Refusals()...)
	count := func(c *prometheus.CounterVec) func(string) {
		return func(value string) { c.WithLabelValues(value).Inc() }
	}
	o := portal.Options{
		Endpoints: accounts.Endpoints, Accounts: accounts.Service, SignIns: accounts.SignIns, Sessions: db.Sessions,
		EmailChanges: accounts.Changes, Notices: accounts.Notices, Digests: accounts.Digests, Contact: b.cfg.Contact,
		Limits: quota.NewHourly(quota.HourlyOptions{
			Redis: redis, Secret: b.secrets.Master, Logger: b.logger, Wait: b.cfg.QuotaWait, Breaker: breaker,
		}),
		Catalog: follower, API: b.api, BaseURL: b.cfg.Base(), Secrets: b.secrets.Ring, Open: b.cfg.Open(), Mail: b.cfg.SMTPURL != "",
		Asked: count(asked), Limited: count(met), Refused: count(refused),
		Away: postgres.Away, Subdomains: b.cfg.HSTSSubdomains,
	}
	if redis != nil {
		o.Usage = quota.NewUsage(quota.UsageOptions{Store: redis, Logger: b.logger, Breaker: breaker}) // it only reads
	}
	if err := b.sell(ctx, &o); err != nil {
		return err
	}
	handler, err := portal.New(o)
	if err != nil {
		return err
	}
	b.showInFlight(handler.InFlight)
	b.mount(b.schema.untilMigrated(surface.Surface{
		Name: "portal", Prefixes: address.AccountPrefixes(), Handler: handler, WriteError: handler.WriteError,
	}))
	return nil
}

// sell adds billing to the account pages, so that owners can subscribe, if a payment provider is configured.
func (b *builder) sell(ctx context.Context, o *portal.Options) error {
	service, err := b.billing(ctx)
	if err != nil || !b.cfg.Sells() {
		return err
	}
	o.Billing = service
	b.background(b.sweepOffers)
	return b.followTexts(ctx)
}

// showInFlight registers the gauges of requests for account pages that are running.
func (b *builder) showInFlight(count func() (inside, outside int)) {
	b.gauge("palmares_account_requests", "Requests for account pages that run, 64 at most.",
		func() float64 { inside, _ := count(); return float64(inside) })
	b.gauge("palmares_account_requests_outside", "Requests for account pages that wait for servers which are not ours, 16 at most.",
		func() float64 { _, outside := count(); return float64(outside) })
}
