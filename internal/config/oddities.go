package config

import (
	"fmt"
	"net"
	"regexp"
	"strings"
)

// fromExamples are secrets that somebody was to replace.
var fromExamples = regexp.MustCompile(`(?i)^(change|replace|insert|your|example|secret|todo|xxx)[-_ .]?(me|this|here|secret|key|xxx|\d|$)`)

// Oddities are settings with which a node starts, and that are hardly meant. They quote no secret.
func (c Serve) Oddities() (odd []string) {
	for _, secret := range []struct {
		name  string
		value Secret
	}{
		{"PALMARES_DATABASE_URL", c.URL},
		{"PALMARES_REDIS_URL", c.RedisURL},
		{"PALMARES_SECRET", c.Secret},
		{"PALMARES_SECRET_PREVIOUS", c.SecretPrevious},
		{"PALMARES_SMTP_URL", c.SMTPURL},
		{"PALMARES_PURGE_TOKEN", c.PurgeToken},
		{"PALMARES_STRIPE_KEY", c.StripeKey},
		{"PALMARES_STRIPE_WEBHOOK_SECRET", c.StripeWebhookSecret},
	} {
		text := secret.value.Reveal()
		if len(text) > 1 && strings.ContainsAny(text[:1], `"'`) && text[0] == text[len(text)-1] {
			odd = append(odd, secret.name+" begins and ends with a quotation mark, which is then part of it: files of settings are not read "+
				"by a shell everywhere; leave the marks out")
		}
	}
	if fromExamples.MatchString(strings.Trim(c.Secret.Reveal(), `"'`)) {
		odd = append(odd, "PALMARES_SECRET looks as if it was taken from an example: whoever knows it can sign in as anybody; "+
			"make one with: openssl rand -hex 32")
	}
	if host, _, err := net.SplitHostPort(c.AdminListen); err == nil && everywhere(host) {
		odd = append(odd, fmt.Sprintf("PALMARES_ADMIN_LISTEN is %q, all addresses of this machine: metrics and health are for operators alone; "+
			"name an address that the public does not reach, such as 127.0.0.1:9090", c.AdminListen))
	}
	return odd
}
