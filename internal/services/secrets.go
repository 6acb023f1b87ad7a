package services

import (
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/secrets"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Secrets are what a process makes of PALMARES_SECRET and the one before it, once.
type Secrets struct {
	Master, Previous []byte
	Ring             secrets.Ring
	Webhooks         *webhook.Keyring // seals and opens the secrets of endpoints
	Sender           *webhook.Sender  // to endpoints; nil where nothing is sent
}

// Derive makes the secrets of a process that sends nothing to endpoints.
func Derive(cfg config.Webhooks) (*Secrets, error) {
	s := &Secrets{Master: []byte(cfg.Secret.Reveal()), Previous: []byte(cfg.SecretPrevious.Reveal())}
	var err error
	if s.Ring, err = secrets.New(s.Master, s.Previous); err != nil {
		return nil, err
	}
	s.Webhooks = webhook.NewKeyring(s.Ring)
	return s, nil
}

// DeriveWithSender is Derive with what sends to endpoints in the name of that version of the program, over so
// many idle connections at most.
func DeriveWithSender(cfg config.Webhooks, version string, idle int) (*Secrets, error) {
	networks, err := cfg.Networks()
	if err != nil {
		return nil, err
	}
	s, err := Derive(cfg)
	if err != nil {
		return nil, err
	}
	s.Sender = webhook.NewSender(webhook.SenderOptions{Allow: networks, Agent: "Webhooks/" + version, Idle: idle})
	return s, nil
}
