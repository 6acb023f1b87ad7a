package services

import (
	"context"
	"time"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/stripe"
	"github.com/palmares-hq/palmares/internal/stripe/events"
)

// CheckSetup needs Billing. It asks how the payment provider is set up and what the operator has published, and says of
// each setting whether it is as it must be. It changes nothing.
func (s *Services) CheckSetup(ctx context.Context, now time.Time) ([]billing.Line, error) {
	is, err := s.provider.Setup(ctx)
	if err != nil {
		return nil, err
	}
	published, err := s.db.Catalog.OwnTexts(ctx)
	if err != nil {
		return nil, err
	}
	return billing.CheckSetup(is, billing.Wanted{
		Country: s.seller, Public: s.own.Public(), Endpoint: endpoint(s.own),
		Version: stripe.Version, Events: stripe.EndpointEvents(), Now: now,
		Texts: operatorTexts(func(file string) string { return published[file] }),
	}), nil
}

// endpoint is where nodes take events; "" if their address is not set.
func endpoint(own config.Address) string {
	if own.BaseURL == "" {
		return ""
	}
	return own.Base() + events.Path
}
