package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/palmares-hq/palmares/internal/api"
)

// A contract is openapi.yaml, ready to hold answers against.
type contract struct {
	doc    *openapi3.T
	router routers.Router
}

var readContract = sync.OnceValues(func() (*contract, error) {
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(api.ContractYAML())
	if err != nil {
		return nil, err
	}
	if err := doc.Validate(loader.Context); err != nil {
		return nil, err
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, err
	}
	return &contract{doc: doc, router: router}, nil
})

func loadContract(t testing.TB) *contract {
	t.Helper()
	c, err := readContract()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// check holds an answer against the contract: what it says of the operation, of
// every answer, and of the answers that belong to no operation.
func (c *contract) check(r *http.Request, got reply) error {
	if err := checkAlways(r, got); err != nil {
		return err
	}
	route, err := c.route(r)
	switch {
	case err != nil && !errors.Is(err, routers.ErrPathNotFound):
		return fmt.Errorf("finding the operation: %w", err)
	case err != nil:
		if r.Method == http.MethodOptions && strings.HasPrefix(r.URL.Path, "/api/") {
			return checkOptions(got)
		}
		name, ok := nowhere[got.status]
		if !ok {
			return fmt.Errorf("status %d on a path that is not in the contract", got.status)
		}
		return c.component(name, r, got)
	case r.Method != http.MethodGet && got.status == http.StatusNotFound:
		return c.component("ToolNotFound", r, got)
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodOptions:
		return checkOptions(got)
	default:
		if got.status != http.StatusMethodNotAllowed {
			return fmt.Errorf("status %d for the method %s", got.status, r.Method)
		}
		return c.component("MethodNotAllowed", r, got)
	}
	if got.status == http.StatusNotModified {
		if strings.HasPrefix(route.Path, "/api/embeddings") || route.Path == "/api/v1/usage" {
			return c.component("NotModifiedKeyed", r, got)
		}
		return c.component("NotModified", r, got)
	}
	return c.validate(route, r, got)
}

// nowhere names what answers look like on a path that is not in the contract: the
// caller is identified and charged there as anywhere.
var nowhere = map[int]string{
	http.StatusNotFound:            "ToolNotFound", // what every 404 looks like
	http.StatusUnauthorized:        "Unauthorized",
	http.StatusTooManyRequests:     "QuotaExceeded",
	http.StatusInternalServerError: "InternalError",
	http.StatusServiceUnavailable:  "Unavailable",
}

// route finds the operation of a request, whatever its method and however its
// path is escaped.
func (c *contract) route(r *http.Request) (*routers.Route, error) {
	segments := strings.Split(r.URL.EscapedPath(), "/")
	for i, s := range segments {
		plain, err := url.PathUnescape(s)
		if err != nil {
			return nil, fmt.Errorf("segment %q: %w", s, err)
		}
		segments[i] = url.PathEscape(plain)
	}
	escaped := strings.Join(segments, "/")
	plain, err := url.PathUnescape(escaped)
	if err != nil {
		return nil, fmt.Errorf("path %q: %w", escaped, err)
	}
	lookup := &http.Request{Method: http.MethodGet, Host: "test", URL: &url.URL{Path: plain, RawPath: escaped}}
	route, _, err := c.router.FindRoute(lookup)
	return route, err
}

// component holds an answer against a documented response that the validator
// skips (304) or that no operation lists (405, the 404 of a path that is not there).
func (c *contract) component(name string, r *http.Request, got reply) error {
	op := openapi3.NewOperation()
	op.Responses = openapi3.NewResponses(openapi3.WithStatus(http.StatusOK, c.doc.Components.Responses[name]))
	got.status = http.StatusOK
	if err := c.validate(&routers.Route{Spec: c.doc, Operation: op}, r, got); err != nil {
		return fmt.Errorf("response %s: %w", name, err)
	}
	return nil
}

var isURI = openapi3.NewCallbackValidator(func(s string) error {
	u, err := url.Parse(s)
	if err == nil && !u.IsAbs() {
		err = errors.New("not absolute")
	}
	return err
})

// validate runs the validator. It skips HEAD, so it is told GET, without a body.
func (c *contract) validate(route *routers.Route, r *http.Request, got reply) error {
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: &http.Request{Method: http.MethodGet, URL: r.URL, Header: r.Header},
			Route:   route,
		},
		Status: got.status,
		Header: got.header,
		Body:   io.NopCloser(bytes.NewReader(got.text)),
		Options: &openapi3filter.Options{
			IncludeResponseStatus: true,
			ExcludeResponseBody:   r.Method == http.MethodHead,
			SchemaValidationOptions: []openapi3.SchemaValidationOption{
				openapi3.EnableFormatValidation(),
				openapi3.WithStringFormatValidator("uri", isURI),
			},
		},
	}
	return openapi3filter.ValidateResponse(r.Context(), in)
}

// checkAlways is what the contract's prose says of every answer.
func checkAlways(r *http.Request, got reply) error {
	vary := "Authorization, Accept-Encoding"
	if r.Method == http.MethodOptions && got.status == http.StatusNoContent {
		vary += ", Access-Control-Request-Headers"
	}
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": "*",
		"Vary":                        vary,
		"X-Content-Type-Options":      "nosniff",
	} {
		if values := got.header.Values(name); len(values) != 1 || values[0] != want {
			return fmt.Errorf("%s is %q, want %q", name, values, want)
		}
	}
	for _, name := range []string{"X-Request-Id", "Access-Control-Expose-Headers", "Cache-Control"} {
		if values := got.header.Values(name); len(values) != 1 || values[0] == "" {
			return fmt.Errorf("%s is %q", name, values)
		}
	}
	if err := checkPrivacy(r, got); err != nil {
		return err
	}
	if got.status >= http.StatusBadRequest {
		if err := checkError(got); err != nil {
			return err
		}
	}
	return checkBody(r, got)
}

// checkPrivacy keeps what is one caller's out of shared caches.
func checkPrivacy(r *http.Request, got reply) error {
	_, keyed := r.Header["Authorization"]
	if cc := got.header.Get("Cache-Control"); keyed && strings.Contains(cc, "s-maxage") {
		return fmt.Errorf("an answer to a key with Cache-Control %q", cc)
	}
	for name := range got.header {
		if strings.HasPrefix(name, "X-Ratelimit-") && (!keyed || got.status == http.StatusUnauthorized) {
			return fmt.Errorf("%s on an answer to nobody in particular", name)
		}
	}
	return nil
}

func checkError(got reply) error {
	if cc := got.header.Get("Cache-Control"); cc != "no-store" {
		return fmt.Errorf("an error with Cache-Control %q", cc)
	}
	for _, name := range []string{"ETag", "Link", "X-Total-Count", "Content-Encoding", "Last-Modified", "Expires", "Age"} {
		if v, ok := got.header[http.CanonicalHeaderKey(name)]; ok {
			return fmt.Errorf("an error with %s %q", name, v)
		}
	}
	return nil
}

// checkBody says which answers have a body, and that it is whole and JSON.
func checkBody(r *http.Request, got reply) error {
	if got.status == http.StatusNotModified || got.status == http.StatusNoContent {
		if len(got.body) > 0 || got.header.Get("Content-Type") != "" {
			return fmt.Errorf("status %d with a body", got.status)
		}
		return nil
	}
	if ct := got.header.Get("Content-Type"); ct != "application/json; charset=utf-8" {
		return fmt.Errorf("Content-Type is %q", ct)
	}
	length, err := strconv.Atoi(got.header.Get("Content-Length"))
	if err != nil {
		return fmt.Errorf("Content-Length: %w", err)
	}
	if r.Method == http.MethodHead {
		if len(got.body) > 0 {
			return errors.New("HEAD with a body")
		}
		return nil
	}
	if length != len(got.body) {
		return fmt.Errorf("Content-Length is %d, the body has %d bytes", length, len(got.body))
	}
	if !json.Valid(got.text) {
		return fmt.Errorf("the body is not JSON: %.200q", got.text)
	}
	return nil
}

func checkOptions(got reply) error {
	if got.status != http.StatusNoContent {
		return fmt.Errorf("OPTIONS answered %d", got.status)
	}
	for _, name := range []string{"Allow", "Access-Control-Allow-Methods"} {
		if v := got.header.Get(name); v != "GET, HEAD, OPTIONS" {
			return fmt.Errorf("%s is %q", name, v)
		}
	}
	return nil
}
