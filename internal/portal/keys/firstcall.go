package keys

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/web"
)

// A shownKey is what the page of a new key shows. It is the only page that has the key, and it is
// stored nowhere.
type shownKey struct {
	Action  string // the path that the forms are sent to
	Key     string
	Name    string
	OldEnds time.Time // when the key it replaces stops working; zero if no old key is in its grace period
	Samples []sample
	Path    string // the path of the call
	Here    bool   // the API is served by this process, so the page can make the call
	Result  *callResult
}

// A callResult is what the API answered to the call.
type callResult struct {
	Status  int
	Headers []callHeader
	Body    string
}

type callHeader struct{ Name, Value string }

// callHeaders are the headers that the page shows.
var callHeaders = []string{"X-RateLimit-Tier", "X-RateLimit-Remaining", "X-RateLimit-Reset", "ETag"}

// newShownKey returns the body of the page of a new key.
func (p *Pages) newShownKey(r *page.Request, key account.Key, name string) shownKey {
	return shownKey{
		Action: r.At(address.Keys), Key: key.Reveal(), Name: name,
		Samples: samples(p.BaseURL+callPath, key.Reveal()),
		Path:    callPath, Here: p.API != nil,
	}
}

// showKey answers the form that made a key with the page that shows it.
func showKey(r *page.Request, body shownKey) (*page.Answer, error) {
	return &page.Answer{Title: r.Text.Must("key-shown.title"), Template: "key-shown", Body: body}, nil
}

// Call makes the first call with the key in the form, and shows the key's page again with the result. It serves
// browsers without JavaScript; the others make the call themselves.
func (p *Pages) Call(r *page.Request) (*page.Answer, error) {
	key, err := account.ParseKey(r.Form.Get("key"))
	if err != nil {
		return nil, web.Wrap(http.StatusBadRequest, "the form carries no key", err)
	}
	body := p.newShownKey(r, key, r.Field("name"))
	if body.Here {
		if body.Result, err = p.call(r, key); err != nil {
			return nil, err
		}
	}
	return showKey(r, body)
}

// call calls the API in this process. The API charges for the call as for any other, to the client's address if
// the key is not valid. The Observer tells the API that address, and keeps its response apart from the page's.
func (p *Pages) call(r *page.Request, key account.Key) (*callResult, error) {
	req, err := http.NewRequestWithContext(callContext{r.Context()}, http.MethodGet, callPath, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.RemoteAddr = netip.AddrPortFrom(r.Client, 0).String()
	req.Header.Set("Authorization", "Bearer "+key.Reveal())
	w := &callResponse{header: make(http.Header), status: http.StatusOK}
	web.NewObserver(web.ObserverOptions{}).Wrap(p.API).ServeHTTP(w, req)
	result := &callResult{Status: w.status, Body: w.body.String()}
	var indented bytes.Buffer
	if json.Indent(&indented, w.body.Bytes(), "", "  ") == nil {
		result.Body = indented.String()
	}
	for _, name := range callHeaders {
		for key, values := range w.header { // the keys are spelt as they are sent, not canonically
			if strings.EqualFold(key, name) {
				result.Headers = append(result.Headers, callHeader{name, values[0]})
			}
		}
	}
	return result, nil
}

// A callContext ends with the request for the page but hides its values: the call must not write to the page's
// connection, and the API knows nothing of sessions.
type callContext struct{ context.Context } //nolint:containedctx // it is one itself

// Value implements context.Context.
func (callContext) Value(any) any { return nil }

// A callResponse holds the response of the API.
type callResponse struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (w *callResponse) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *callResponse) WriteHeader(status int) { w.status = status }

// Write implements http.ResponseWriter.
func (w *callResponse) Write(p []byte) (int, error) { return w.body.Write(p) }
