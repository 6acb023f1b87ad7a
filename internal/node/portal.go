package node

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/portal"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// portalPool is that of account pages. Their requests wait for nobody else's.
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
	redis, err := b.redis()
	if err != nil {
		return err
	}
	asked := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "palmares_signin_total",
		Help: "What happened at signing in: asked, signed in, client limit, account limit.",
	}, []string{"outcome"})
	b.registry.MustRegister(asked)
	fromZero(asked, "asked", "signed in", "client limit", "account limit")
	signIns, err := newSignIns(b.cfg, db)
	if err != nil {
		return err
	}
	endpoints, err := b.endpoints(db)
	if err != nil {
		return err
	}
	secrets, err := newSecrets(b.cfg.Webhooks)
	if err != nil {
		return err
	}
	o := portal.Options{
		Endpoints: endpoints,
		Accounts:  account.NewService(db.Accounts, db.Keys, nil).WithSecrets(secrets), SignIns: signIns, Sessions: db.Sessions,
		EmailChanges: account.NewEmailChanges(db.Accounts, secrets, nil), Contact: b.cfg.Contact,
		Notices: account.NewNotices(account.NoticesOptions{
			Store: db.Accounts, Secret: []byte(b.cfg.Secret.Reveal()), Previous: []byte(b.cfg.SecretPrevious.Reveal()),
		}),
		Limits: quota.NewHourly(quota.HourlyOptions{
			Redis: redis, Secret: []byte(b.cfg.Secret.Reveal()), Logger: b.logger, Wait: b.cfg.QuotaWait,
		}),
		Catalog: follower, API: b.api, BaseURL: b.cfg.Base(), Secret: []byte(b.cfg.Secret.Reveal()),
		Previous: []byte(b.cfg.SecretPrevious.Reveal()), Open: b.cfg.Open(), Mail: b.cfg.SMTPURL != "",
		Asked: func(outcome string) { asked.WithLabelValues(outcome).Inc() }, Limited: b.limited(portal.LimitNames()),
		Away: postgres.Away, Subdomains: b.cfg.HSTSSubdomains,
	}
	if redis != nil {
		o.Usage = quota.NewUsage(quota.UsageOptions{Store: redis, Logger: b.logger}) // it only reads
	}
	if err := b.sell(ctx, &o); err != nil {
		return err
	}
	b.countRefusals(&o)
	handler, err := portal.New(o)
	if err != nil {
		return err
	}
	b.showInFlight(handler)
	b.mount(b.schema.untilMigrated(surface{
		name: "portal", prefixes: portal.Prefixes(), handler: handler, writeError: handler.WriteError,
	}))
	return nil
}

// sell lets owners subscribe, if a provider is configured.
func (b *builder) sell(ctx context.Context, o *portal.Options) error {
	service, err := b.billing(ctx)
	if err == nil && b.cfg.Sells() {
		o.Billing, o.Country = service, b.cfg.SellerCountry
	}
	return err
}

// endpoints are what owners do with their webhooks.
func (b *builder) endpoints(db *postgres.DB) (*webhook.Endpoints, error) {
	sender, err := newSender(b.cfg.Webhooks, b.version)
	if err != nil {
		return nil, err
	}
	b.atEnd(func() error { sender.Close(); return nil })
	keyring, err := newKeyring(b.cfg.Webhooks)
	if err != nil {
		return nil, err
	}
	return webhook.NewEndpoints(webhook.EndpointsOptions{
		Store: db.Webhooks, Catalog: db.Catalog, Sender: sender, Keyring: keyring,
	}), nil
}
