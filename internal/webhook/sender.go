package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
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
)

// Bounds of a request.
const (
	sendTimeout  = 15 * time.Second
	bodyTime     = 2 * time.Second // for the body of an answer, which decides nothing
	mostHeader   = 16 << 10
	mostBody     = 4 << 10
	mostResponse = 1000 // bytes kept of the body
	idlePerHost  = 4
	idleFor      = 90 * time.Second
)

// SenderOptions say how to send. The zero options are for the internet.
type SenderOptions struct {
	Allow    []netip.Prefix   // networks that may be sent to though they are not public
	Timeout  time.Duration    // of a request altogether, 15 s when 0
	Agent    string           // the header User-Agent
	Now      func() time.Time // time.Now when nil
	Resolver *net.Resolver    // the system's when nil
	Idle     int              // connections kept for later, at most; 1,000 when 0
}

// A Sender makes the requests. It connects to nothing that the guard refuses.
type Sender struct {
	o         SenderOptions
	transport *http.Transport
}

// NewSender makes a sender.
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
	dialer := &net.Dialer{Control: NewGuard(o.Allow), Resolver: o.Resolver}
	return &Sender{o: o, transport: &http.Transport{
		Proxy:                  nil, // a proxy would connect where the guard does not see it
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		DisableCompression:     true, // a small answer must not unfold into a large one
		MaxIdleConns:           o.Idle,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleFor,
		MaxResponseHeaderBytes: mostHeader,
	}}
}

// Close closes the connections that are kept for later.
func (s *Sender) Close() { s.transport.CloseIdleConnections() }

// A Message is one attempt of a delivery.
type Message struct {
	URL, ID string
	At      time.Time // of the attempt
	Body    []byte
	Secrets []Secret
}

// A Result is what came of an attempt.
type Result struct {
	Status     int   // HTTP's; 0 when there was no answer
	Err        error // why there was no answer or why it does not count, for the owner to read
	RetryAfter time.Duration
	Response   string // the beginning of the answer, as text
	Took       time.Duration
	TimedOut   bool // be it in the middle of the answer
}

// OK reports whether the receiver took the message.
func (r Result) OK() bool { return r.Status >= 200 && r.Status <= 299 }

// Gone reports whether the receiver wants no more messages, ever.
func (r Result) Gone() bool { return r.Status == http.StatusGone }

// Send makes one attempt. It returns within the timeout whatever the receiver does.
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
		return Result{Err: err}
	}
	// The transport itself follows no redirect and keeps no cookie.
	response, err := s.transport.RoundTrip(request)
	if err != nil {
		timedOut := ctx.Err() != nil
		switch {
		case parent.Err() != nil:
			return Result{Err: ErrInterrupted}
		case timedOut:
			err = fmt.Errorf("timed out after %g s", s.o.Timeout.Seconds())
		default:
			err = explain(err)
		}
		return Result{Err: err, TimedOut: timedOut}
	}
	defer response.Body.Close()

	r := Result{Status: response.StatusCode, RetryAfter: ParseRetryAfter(response.Header.Get("Retry-After"), s.o.Now())}
	if r.Status >= 300 && r.Status <= 399 {
		r.Err = fmt.Errorf("the receiver answered %d: redirects are not followed", r.Status)
	}
	// The status has decided: nobody may keep us waiting for the rest.
	defer time.AfterFunc(bodyTime, cancel).Stop()
	body, err := io.ReadAll(io.LimitReader(response.Body, mostBody))
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

// ErrInterrupted says that an attempt ended on our side: it says nothing about the
// receiver.
var ErrInterrupted = errors.New("interrupted before there was an answer")

// errURL is for URLs that ParseURL would not have let through.
var errURL = errors.New("the URL is not valid")

// explain says in a few words why there is no answer. The texts are ours: those of the
// system name addresses that the owner of the endpoint has no business to know.
func explain(err error) error {
	for _, refused := range []error{ErrNotPublic, ErrPort, ErrNetwork} {
		if errors.Is(err, refused) {
			return refused
		}
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		if dns.IsNotFound {
			return errors.New("the host name does not exist")
		}
		return errors.New("the host name could not be resolved")
	}
	if certificate, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return explainCertificate(certificate.Err)
	}
	_, notTLS := errors.AsType[tls.RecordHeaderError](err)
	_, alert := errors.AsType[tls.AlertError](err)
	text := err.Error()
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return errors.New("connection refused")
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return errors.New("connection reset")
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return errors.New("no route to the host")
	case errors.Is(err, syscall.ETIMEDOUT):
		return errors.New("connecting timed out")
	case notTLS, strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return errors.New("the receiver does not speak TLS")
	case alert, strings.Contains(text, "tls: "):
		return errors.New("the TLS handshake failed")
	case strings.Contains(text, "response headers exceeded"):
		return fmt.Errorf("the header of the answer is larger than %d KB", mostHeader>>10)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the connection was closed without an answer")
	case strings.Contains(text, "malformed"):
		return errors.New("the answer is not HTTP")
	}
	return errors.New("the request failed")
}

func explainCertificate(err error) error {
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, name := errors.AsType[x509.HostnameError](err)
	invalid, ok := errors.AsType[x509.CertificateInvalidError](err)
	switch {
	case unknown:
		return errors.New("certificate signed by an unknown authority")
	case name:
		return errors.New("certificate not valid for the host")
	case ok && invalid.Reason == x509.Expired:
		return errors.New("certificate expired or not valid yet")
	}
	return errors.New("certificate not valid")
}

// printable is the beginning of the body as text that can be stored and shown.
func printable(body []byte) string {
	text := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return utf8.RuneError
	}, string(body))
	if len(text) <= mostResponse {
		return text
	}
	end := mostResponse
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
