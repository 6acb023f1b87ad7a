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

// EndpointDisabled tells the owner of a webhook endpoint that nothing is delivered to
// it any more. Its ID is made of the endpoint and the reason: another attempt at the
// same news has the same, another disabling for another reason has not.
func EndpointDisabled(to, endpoint, url, reason string) Message {
	host, shown := showURL(url)
	subject := "Your webhook endpoint was disabled"
	if host != "" {
		subject = "Your webhook endpoint at " + host + " was disabled"
	}
	reason = strings.Join(strings.Fields(reason), " ") // it may quote what a receiver said
	if reason == "" {
		reason = "not known"
	}
	var text strings.Builder
	err := endpointDisabled.Execute(&text, struct{ Endpoint, URL, Reason string }{endpoint, shown, reason})
	if err != nil {
		panic(fmt.Sprintf("a template of the program's own: %v", err))
	}
	digest := sha256.Sum256([]byte(reason))
	return Message{
		To: to, Subject: subject, Text: text.String(),
		ID: fmt.Sprintf("endpoint-disabled-%s-%x", endpoint, digest[:6]),
	}
}

// showURL gives the host, and the URL without its user and query: they hold secrets,
// and mail is read by many.
func showURL(text string) (host, shown string) {
	u, err := url.Parse(text)
	if err != nil {
		return "", ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.Hostname(), u.String()
}
