package mail

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"net/url"
	"strings"
	"text/template"
)

//go:embed endpoint_disabled.txt
var endpointDisabledText string

var endpointDisabled = template.Must(template.New("endpoint_disabled.txt").Parse(endpointDisabledText))

// EndpointDisabled is the message that tells the owner of a webhook endpoint that it was disabled.
// Its ID is derived from the endpoint and the reason: a retry has the same ID, and disabling the
// endpoint again for another reason has another.
func EndpointDisabled(to, endpoint, url, reason string) Message {
	host, shown := redactURL(url)
	subject := "Your webhook endpoint was disabled"
	if host != "" {
		subject = "Your webhook endpoint at " + host + " was disabled"
	}
	reason = strings.Join(strings.Fields(reason), " ") // it may quote a receiver's response
	if reason == "" {
		reason = "not known"
	}
	var text strings.Builder
	err := endpointDisabled.Execute(&text, struct{ Endpoint, URL, Reason string }{endpoint, shown, reason})
	if err != nil {
		panic(fmt.Sprintf("embedded template: %v", err))
	}
	digest := sha256.Sum256([]byte(reason))
	return Message{
		To: to, Subject: subject, Text: text.String(),
		ID: fmt.Sprintf("endpoint-disabled-%s-%x", endpoint, digest[:6]),
	}
}

// redactURL returns the host, and the URL without user and query, which may hold secrets.
func redactURL(text string) (host, shown string) {
	u, err := url.Parse(text)
	if err != nil {
		return "", ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.Hostname(), u.String()
}
