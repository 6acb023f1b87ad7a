package api

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"math"
	"net/http"
	"net/netip"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/engine"
)

//go:embed openapi.fr.yaml
var openapiFrench []byte

// Contract returns openapi.yaml and openapi.fr.yaml, its French texts.
func Contract() (english, french []byte) { return openapiYAML, openapiFrench }

// An Answer is a response of the API, for the documentation.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	Cut    bool // the body is longer than Body
}

// Render returns the response that an account with this plan gets from a snapshot for a GET of target. It is for the
// documentation: nothing is counted, and the request id and the usage, which only a node knows, are missing.
func Render(s *catalog.Snapshot, baseURL, target string, plan account.Plan) (Answer, error) {
	a, err := New(Options{Catalog: shown{s}, Auth: as(plan), Cache: 1, BaseURL: baseURL})
	if err != nil {
		return Answer{}, err
	}
	return Get(context.Background(), a, netip.Addr{}, target, math.MaxInt)
}

// Get sends a GET of target to an API, without a key, and returns the response. Of a file it unpacks and keeps at most
// this many bytes. The request is charged to the client's address, as if the client had sent it.
func Get(ctx context.Context, a http.Handler, client netip.Addr, target string, most int) (Answer, error) {
	engine.Check(ctx)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, target, http.NoBody)
	if err != nil {
		return Answer{}, err
	}
	w := &recorder{header: make(http.Header), client: client, most: most}
	a.ServeHTTP(w, r)
	return Answer{w.status, w.header, w.body.Bytes(), w.cut}, nil
}

// shown is a catalog of one snapshot.
type shown struct{ snapshot *catalog.Snapshot }

func (s shown) Current() *catalog.Snapshot { return s.snapshot }

// as is an Authenticator that identifies every caller as an account with this plan.
type as account.Plan

// Authenticate implements Authenticator.
func (p as) Authenticate(*http.Request) (Caller, error) {
	if plan := account.Plan(p); plan != account.Anonymous {
		return Caller{Plan: plan, Account: "shown"}, nil
	}
	return Caller{}, nil
}

// A recorder is a ResponseWriter that keeps the response.
type recorder struct {
	status int
	header http.Header
	body   bytes.Buffer
	most   int  // bytes of a file to keep
	cut    bool // the file had more
	client netip.Addr
}

// ClientAddr returns the address of the client; see web.ClientAddr.
func (r *recorder) ClientAddr() netip.Addr { return r.client }

func (r *recorder) Header() http.Header    { return r.header }
func (r *recorder) WriteHeader(status int) { r.status = status }

var errEnough = errors.New("nobody reads on")

// Write keeps the body. It fails with errEnough once it has enough of a file, so that no more is unpacked. JSON is
// kept whole, because the API bounds its size.
func (r *recorder) Write(b []byte) (n int, err error) {
	if left := r.most - r.body.Len(); len(b) > left && r.header.Get("Content-Type") != jsonType {
		r.cut = true
		r.body.Write(b[:left])
		return left, errEnough
	}
	return r.body.Write(b)
}
