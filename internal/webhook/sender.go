package webhook

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/guard"
	"github.com/palmares-hq/palmares/internal/text"
)

// Limits of a request.
const (
	sendTimeout = 15 * time.Second
	bodyTimeout = 2 * time.Second // for the body of a response, which does not decide the outcome
	maxHeader   = 16 << 10
	maxBody     = 4 << 10
	maxResponse = 1000 // bytes of the body that are kept
	idlePerHost = 4
	idleFor     = 90 * time.Second
)

// SenderOptions configure a Sender. With the zero options it sends to public addresses only.
type SenderOptions struct {
	Allow    []netip.Prefix   // networks that are allowed although they are not public
	Timeout  time.Duration    // of a whole request, 15 s when 0
	Agent    string           // the User-Agent header
	Now      func() time.Time // time.Now when nil
	Resolver *net.Resolver    // the system's when nil
	Idle     int              // maximum number of idle connections; 1,000 when 0
}

// A Sender sends deliveries. It connects to nothing that the guard rejects.
type Sender struct {
	o         SenderOptions
	transport *http.Transport
}

// NewSender returns a sender.
func NewSender(o SenderOptions) *Sender {
	if o.Timeout == 0 {
		o.Timeout = sendTimeout
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Idle == 0 {
		o.Idle = 1000
	}
	dialer := &net.Dialer{Control: guard.Public(o.Allow, httpsPort), Resolver: o.Resolver}
	return &Sender{o: o, transport: &http.Transport{
		Proxy:                  nil, // the guard cannot check connections that a proxy makes
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		DisableCompression:     true, // a small response must not decompress into a large one
		MaxIdleConns:           o.Idle,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleFor,
		MaxResponseHeaderBytes: maxHeader,
	}}
}

// Close closes idle connections.
func (s *Sender) Close() { s.transport.CloseIdleConnections() }

// A Message is one attempt of a delivery.
type Message struct {
	URL, ID string
	At      time.Time // of the attempt
	Body    []byte
	Secrets []Secret
}

// A Result is the outcome of an attempt.
type Result struct {
	Status     int    // the HTTP status; 0 without a response
	Reason     Reason // why there was no response or why it does not count
	RetryAfter time.Duration
	Response   string // the beginning of the response body, as text
	Took       time.Duration
	TimedOut   bool // possibly in the middle of the response
	Class      bool // the status is only its class: 200, 300, 400 or 500
}

// OK reports whether the receiver accepted the message.
func (r Result) OK() bool { return r.Status >= 200 && r.Status <= 299 }

// Gone reports whether the receiver answered 410: it wants no more messages.
func (r Result) Gone() bool { return r.Status == http.StatusGone }

// Send makes one attempt. It returns within the timeout, whatever the receiver does.
func (s *Sender) Send(ctx context.Context, m Message) Result {
	start := s.o.Now()
	r := s.send(ctx, m)
	r.Took = s.o.Now().Sub(start)
	return r
}

func (s *Sender) send(parent context.Context, m Message) Result {
	ctx, cancel := context.WithTimeout(parent, s.o.Timeout)
	defer cancel()
	request, err := s.request(ctx, m)
	if err != nil {
		return Result{Reason: Reason{Code: URLNotValid}}
	}
	// A transport, unlike a client, follows no redirects and keeps no cookies.
	response, err := s.transport.RoundTrip(request)
	if err != nil {
		switch {
		case parent.Err() != nil:
			return Result{Reason: Reason{Code: Interrupted}}
		case ctx.Err() != nil:
			return Result{Reason: Reason{TimedOut, fmt.Sprintf("%g s", s.o.Timeout.Seconds())}, TimedOut: true}
		}
		return Result{Reason: Reason{Code: explain(err)}}
	}
	defer response.Body.Close()

	r := Result{
		Status:     response.StatusCode,
		RetryAfter: ParseRetryAfter(response.Header.Get("Retry-After"), s.o.Now()),
	}
	if r.Status >= 300 && r.Status <= 399 {
		r.Reason = Reason{Redirected, strconv.Itoa(r.Status)}
	}
	// The status has decided the outcome. The body must not keep the sender waiting.
	defer time.AfterFunc(bodyTimeout, cancel).Stop()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	r.TimedOut = err != nil && ctx.Err() != nil && parent.Err() == nil
	r.Response = printable(body)
	return r
}

func (s *Sender) request(ctx context.Context, m Message) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return nil, errURL
	}
	switch {
	case r.URL.Host == "", r.URL.User != nil:
		return nil, errURL
	case r.URL.Scheme == "https", r.URL.Scheme == "http" && len(s.o.Allow) > 0:
	default:
		return nil, errURL
	}
	at := m.At
	if at.IsZero() {
		at = s.o.Now()
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", s.o.Agent)
	r.Header.Set("Webhook-Id", m.ID)
	r.Header.Set("Webhook-Timestamp", strconv.FormatInt(at.Unix(), 10))
	r.Header.Set("Webhook-Signature", Sign(m.ID, at, m.Body, m.Secrets...))
	return r, nil
}

// errURL is for URLs that ParseURL would have rejected.
var errURL = errors.New("the URL is not valid")

// explain returns the code for an error without a response. The error's own text is not shown, because it may contain
// internal addresses.
func explain(err error) ReasonCode {
	switch {
	case errors.Is(err, guard.ErrNotPublic):
		return AddressNotPublic
	case errors.Is(err, guard.ErrPort):
		return PortNotAllowed
	case errors.Is(err, guard.ErrNetwork):
		return NetworkNotAllowed
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		if dns.IsNotFound {
			return HostNotFound
		}
		return HostNotResolved
	}
	if certificate, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return explainCertificate(certificate.Err)
	}
	_, notTLS := errors.AsType[tls.RecordHeaderError](err)
	_, alert := errors.AsType[tls.AlertError](err)
	text := err.Error()
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return ConnectionRefused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return ConnectionReset
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return NoRoute
	case errors.Is(err, syscall.ETIMEDOUT):
		return ConnectTimedOut
	case notTLS, strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return NoTLS
	case alert, strings.Contains(text, "tls: "):
		return HandshakeFailed
	case strings.Contains(text, "response headers exceeded"):
		return HeaderTooLarge
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ClosedWithoutAnswer
	case strings.Contains(text, "malformed"):
		return NotHTTP
	}
	return RequestFailed
}

func explainCertificate(err error) ReasonCode {
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, name := errors.AsType[x509.HostnameError](err)
	invalid, ok := errors.AsType[x509.CertificateInvalidError](err)
	switch {
	case unknown:
		return CertificateUnknown
	case name:
		return CertificateOtherHost
	case ok && invalid.Reason == x509.Expired:
		return CertificateExpired
	}
	return CertificateNotValid
}

// spaces maps white space to a space, for strings.Map.
func spaces(r rune) rune {
	if unicode.IsSpace(r) {
		return ' '
	}
	return r
}

// printable returns the beginning of the body as text that can be stored and shown.
func printable(body []byte) string {
	shown := text.Marked(strings.Map(spaces, string(body)))
	if len(shown) <= maxResponse {
		return shown
	}
	end := maxResponse
	for !utf8.RuneStart(shown[end]) {
		end--
	}
	return shown[:end]
}

// Challenge sends an endpoint a webhook.test with a challenge and reports whether the receiver
// answered it. An answer proves that the receiver's operator wants the deliveries, so that nobody can
// aim them at somebody else's server.
func Challenge(ctx context.Context, s *Sender, k *Keyring, e Endpoint, now time.Time) (
	answered bool, r Result, err error,
) {
	secrets, _, err := k.signers(e, now)
	if err != nil {
		return false, Result{}, err
	}
	challenge := rand.Text()
	r = s.Send(ctx, Message{
		URL: e.URL, ID: NewDeliveryID(), At: now, Body: TestPayload(e.ID, now, challenge), Secrets: secrets,
	})
	return r.OK() && answersChallenge(r.Response, challenge), r, nil
}

// answersChallenge reports whether a response is exactly the challenge, or exactly {"challenge":"…"}.
// A response with more in it does not count, because a server that merely echoes requests proves nothing.
func answersChallenge(response, challenge string) bool {
	if challenge == "" {
		return false
	}
	if strings.TrimSpace(response) == challenge {
		return true
	}
	// Token by token: decoding into a map would accept a repeated key.
	d := json.NewDecoder(strings.NewReader(response))
	for _, want := range []json.Token{json.Delim('{'), "challenge", challenge, json.Delim('}')} {
		if got, err := d.Token(); err != nil || got != want {
			return false
		}
	}
	_, err := d.Token()
	return errors.Is(err, io.EOF)
}
