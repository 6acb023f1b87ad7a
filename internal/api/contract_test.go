package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	gopath "path" // path is ours
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/goccy/go-yaml"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
)

// A contract is openapi.yaml, to check responses against, with objects that have no other field than
// those that are described.
type contract struct {
	doc    *openapi3.T
	router routers.Router
}

// The validator takes a file as a text: what is in it is for the tests of package export to say.
var _ = func() bool {
	for _, mediaType := range []string{"application/jsonl", "text/csv"} {
		openapi3filter.RegisterBodyDecoder(mediaType, func(
			body io.Reader, _ http.Header, _ *openapi3.SchemaRef, _ openapi3filter.EncodingFn,
		) (any, error) {
			text, err := io.ReadAll(body)
			return string(text), err
		})
	}
	return true
}()

var readContract = sync.OnceValues(func() (*contract, error) {
	var written map[string]any
	if err := yaml.Unmarshal(yamlOf(api.Contract()), &written); err != nil {
		return nil, err
	}
	closed, err := json.Marshal(testkit.Closed(written))
	if err != nil {
		return nil, err
	}
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(closed)
	if err != nil {
		return nil, err
	}
	if err := doc.Validate(loader.Context); err != nil {
		return nil, err
	}
	router, err := gorillamux.NewRouter(doc)
	return &contract{doc: doc, router: router}, err
})

func loadContract(t testing.TB) *contract {
	t.Helper()
	c, err := readContract()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// yamlOf is openapi.yaml of a contract.
func yamlOf(english, _ []byte) []byte { return english }

// elsewhere names the documented responses to GET on a path that is not in the contract.
var elsewhere = map[int]string{
	http.StatusNotFound:            "ToolNotFound", // what every 404 looks like
	http.StatusUnauthorized:        "Unauthorized",
	http.StatusTooManyRequests:     "QuotaExceeded",
	http.StatusInternalServerError: "InternalError",
	http.StatusServiceUnavailable:  "Unavailable",
}

// check holds a response against the contract: what it says of the operation, of every response,
// and of the responses that belong to no operation.
func (c *contract) check(r *http.Request, got reply) error {
	if err := checkAlways(r, got); err != nil {
		return err
	}
	route, err := c.route(r)
	inContract := err == nil
	if err != nil && !errors.Is(err, routers.ErrPathNotFound) {
		return fmt.Errorf("finding the operation: %w", err)
	}
	var name string // of the documented response
	switch {
	case r.Method == http.MethodOptions && strings.HasPrefix(r.URL.Path, "/api/"):
		return checkOptions(got)
	case !inContract:
		if name = elsewhere[got.status]; name == "" {
			return fmt.Errorf("status %d on a path that is not in the contract", got.status)
		}
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		if name = "MethodNotAllowed"; got.status != http.StatusMethodNotAllowed {
			return fmt.Errorf("status %d for the method %s", got.status, r.Method)
		}
	case got.status != http.StatusNotModified:
		return c.validate(route, r, got)
	default:
		return c.response("304", route.Operation.Responses.Status(http.StatusNotModified), r, got)
	}
	return c.response(name, c.doc.Components.Responses[name], r, got)
}

// route finds the operation of a request, whatever its method and however its path is escaped.
func (c *contract) route(r *http.Request) (*routers.Route, error) {
	raw := r.URL.RawPath // as it was sent: EscapedPath makes slashes of escaped ones when a byte is not ASCII
	if raw == "" {
		raw = r.URL.EscapedPath()
	}
	segments := strings.Split(raw, "/")
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
	// The API serves no path with an empty, "." or ".." part inside, escaped or not, though a template
	// of the contract has room for it.
	if plain != "/" && strings.TrimSuffix(plain, "/") != gopath.Clean(plain) {
		return nil, routers.ErrPathNotFound
	}
	route, _, err := c.router.FindRoute(&http.Request{
		Method: http.MethodGet, Host: "test", URL: &url.URL{Path: plain, RawPath: escaped},
	})
	return route, err
}

// response holds a response against a documented one that the validator skips (304) or that no
// operation lists (405, the 404 of a path that is not there).
func (c *contract) response(name string, documented *openapi3.ResponseRef, r *http.Request, got reply) error {
	op := openapi3.NewOperation()
	op.Responses = openapi3.NewResponses(openapi3.WithStatus(http.StatusOK, documented))
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
	return openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
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
	})
}

// checkAlways is what the contract's prose says of every response.
func checkAlways(r *http.Request, got reply) error {
	vary := "Authorization, Accept-Encoding"
	if r.Method == http.MethodOptions && got.status == http.StatusNoContent {
		vary += ", Access-Control-Request-Headers"
	}
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": "*", "Vary": vary, "X-Content-Type-Options": "nosniff",
		"X-Request-Id": "", "Access-Control-Expose-Headers": "", "Cache-Control": "", // some value
	} {
		if v := got.header.Values(name); len(v) != 1 || v[0] == "" || want != "" && v[0] != want {
			return fmt.Errorf("%s is %q, want %q", name, v, want)
		}
	}
	_, keyed := r.Header["Authorization"]
	cacheControl := got.header.Get("Cache-Control")
	if keyed && strings.Contains(cacheControl, "s-maxage") {
		return fmt.Errorf("a response to a key with Cache-Control %q", cacheControl)
	}
	for name := range got.header {
		if strings.HasPrefix(name, "X-Ratelimit-") && (!keyed || got.status == http.StatusUnauthorized) {
			return fmt.Errorf("%s on a response that is nobody's own", name)
		}
	}
	if got.status >= http.StatusBadRequest {
		if cacheControl != "no-store" {
			return fmt.Errorf("an error with Cache-Control %q", cacheControl)
		}
		for _, name := range []string{"Etag", "X-Total-Count", "Content-Encoding", "Last-Modified", "Expires", "Age"} {
			if v, ok := got.header[name]; ok {
				return fmt.Errorf("an error with %s %q", name, v)
			}
		}
		link := got.header.Get("Link") // of a slug that an item had before
		if link != "" && (got.status != http.StatusNotFound || !strings.HasSuffix(link, `>; rel="successor-version"`)) {
			return fmt.Errorf("an error with Link %q", link)
		}
	}
	if err := checkBody(r, got); err != nil || got.status < http.StatusBadRequest || len(got.text) == 0 {
		return err
	}
	var reason web.Reason
	if err := json.Unmarshal(got.text, &reason); err != nil {
		return err
	}
	return checkReason(got.status, reason)
}

// checkBody says which responses have a body, and that it is whole and JSON.
func checkBody(r *http.Request, got reply) error {
	contentType := got.header.Get("Content-Type")
	if got.status == http.StatusNotModified || got.status == http.StatusNoContent {
		if len(got.body) > 0 || contentType != "" {
			return fmt.Errorf("status %d with a body", got.status)
		}
		return nil
	}
	length, err := strconv.Atoi(got.header.Get("Content-Length"))
	switch {
	case contentType != "application/json; charset=utf-8" && (got.status != http.StatusOK || contentType != fileType(r.URL.Path)):
		return fmt.Errorf("Content-Type is %q", contentType)
	case err != nil:
		return fmt.Errorf("Content-Length: %w", err)
	case r.Method == http.MethodHead && len(got.body) > 0:
		return errors.New("HEAD with a body")
	case r.Method != http.MethodHead && length != len(got.body):
		return fmt.Errorf("Content-Length is %d, the body has %d bytes", length, len(got.body))
	case r.Method != http.MethodHead && strings.HasPrefix(contentType, "application/json;") && !json.Valid(got.text):
		return fmt.Errorf("the body is not JSON: %.200q", got.text)
	}
	return nil
}

// fileType is the media type of a file, by its name.
func fileType(path string) string {
	switch {
	case strings.HasSuffix(path, ".jsonl"):
		return "application/jsonl; charset=utf-8"
	case strings.HasSuffix(path, ".csv"):
		return "text/csv; charset=utf-8; header=present"
	default:
		return ""
	}
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

// The checker that every test leans on does notice: each case spoils a good response in one way.
func TestContract_CheckerNotices(t *testing.T) {
	t.Parallel()
	c, empty := newClient(t), newClient(t, of(catalog.Empty()))
	replace := func(old, text string) func(*reply) {
		return func(r *reply) {
			r.text = []byte(strings.Replace(string(r.text), old, text, 1))
			r.body = r.text
			r.header.Set("Content-Length", strconv.Itoa(len(r.body)))
		}
	}
	set := func(name, value string) func(*reply) { return func(r *reply) { r.header.Set(name, value) } }
	drop := func(name string) func(*reply) { return func(r *reply) { r.header.Del(name) } }
	status := func(n int) func(*reply) { return func(r *reply) { r.status = n } }
	badKey, anything := []string{"Authorization", "x"}, []string{"If-None-Match", "*"}
	for name, x := range map[string]struct {
		c              *client
		method, target string
		headers        []string
		spoil          func(*reply)
	}{
		"a field more":          {c, "GET", "/api/v1/tools/oeuvre", nil, replace(`{"slug"`, `{"tier":1,"slug"`)},
		"a field less":          {c, "GET", "/api/v1/tools/oeuvre", nil, replace(`"domain":"studio.oeuvre.example",`, "")},
		"another type":          {c, "GET", "/api/v1/tools/oeuvre", nil, replace(`"score":9.75`, `"score":"9.75"`)},
		"another value":         {c, "GET", "/api/v1/tools/oeuvre", nil, replace("payant", "cher")},
		"not a date":            {c, "GET", "/api/v1/tools/oeuvre", nil, replace("2026-11-15", "2026-13-45")},
		"not a URI":             {c, "GET", "/api/v1/tools/oeuvre", nil, replace("https://palmares.example/avis", "/avis")},
		"not JSON":              {c, "GET", "/api/v1/stats", nil, replace("}", "")},
		"no meta":               {c, "GET", "/api/v1/pricing", nil, replace(`"meta"`, `"mata"`)},
		"a body cut short":      {c, "GET", "/api/v1/stats", nil, set("Content-Length", "1")},
		"no total":              {c, "GET", "/api/v1/tools", nil, drop("X-Total-Count")},
		"a weak tag":            {c, "GET", "/api/v1/tools", nil, set("ETag", `W/"a"`)},
		"another caching":       {c, "GET", "/api/v1/tools", nil, set("Cache-Control", "s-maxage=3600")},
		"no credit":             {c, "GET", "/api/v1/tools", nil, drop("X-Attribution")},
		"no date of update":     {c, "GET", "/api/v1/tools", nil, drop("X-Service-Updated-At")},
		"a quota with a 401":    {c, "GET", "/api/v1/tools", badKey, set("X-RateLimit-Remaining", "7")},
		"a shared key":          {c, "GET", "/api/v1/tools", badKey, set("Cache-Control", sharedCaching)},
		"a quota for all":       {c, "GET", "/api/v1/tools", nil, set("X-RateLimit-Remaining", "7")},
		"HTML":                  {c, "GET", "/api/v1/tools", nil, set("Content-Type", "text/html")},
		"another status":        {c, "GET", "/api/v1/tools", nil, status(http.StatusTeapot)},
		"HEAD without a tag":    {c, "HEAD", "/api/v1/tools", nil, drop("ETag")},
		"HEAD without a total":  {c, "HEAD", "/api/v1/tools", nil, drop("X-Total-Count")},
		"304 without a tag":     {c, "GET", "/api/v1/tools", anything, drop("ETag")},
		"304 without Vary":      {c, "GET", "/api/v1/tools", anything, drop("Vary")},
		"304 with a body":       {c, "GET", "/api/v1/tools", anything, func(r *reply) { r.body = []byte("x") }},
		"a cached error":        {c, "GET", "/api/v1/tools/nope", nil, set("Cache-Control", "max-age=1")},
		"a tagged error":        {c, "GET", "/api/v1/tools/nope", nil, set("ETag", `"a"`)},
		"an error in prose":     {c, "GET", "/nope", nil, replace(`{"error"`, `{"message"`)},
		"an error with no code": {c, "GET", "/nope", nil, replace(`,"code":"no_such_path"`, "")},
		"a code of another":     {c, "GET", "/nope", nil, replace(`no_such_path`, "unavailable")},
		"401 without a scheme":  {c, "GET", "/api/v1/tools", badKey, drop("WWW-Authenticate")},
		"405 without Allow":     {c, "POST", "/api/v1/tools", nil, drop("Allow")},
		"OPTIONS with no CORS":  {c, "OPTIONS", "/api/v1/tools", nil, drop("Access-Control-Allow-Methods")},
		"a path out of it":      {c, "GET", "/nope", nil, status(http.StatusForbidden)},
		"503 without a date":    {empty, "GET", "/api/v1/tools", nil, drop("Retry-After")},
	} {
		got := x.c.do(x.method, x.target, x.headers...)
		x.spoil(&got)
		r := httptest.NewRequestWithContext(t.Context(), x.method, x.target, http.NoBody)
		for i := 0; i < len(x.headers); i += 2 {
			r.Header.Set(x.headers[i], x.headers[i+1])
		}
		if c.contract.check(r, got) == nil {
			t.Errorf("%s: not noticed", name)
		}
	}
}

// Routes and documented paths are the same, all operations are GET, and the tests use each.
func TestContract_RoutesArePaths(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	paths := c.contract.doc.Paths
	testkit.Equal(t, "documented paths", slices.Sorted(maps.Keys(paths.Map())), c.api.Paths())
	var used []string
	for _, target := range slices.Concat(routes, fileRoutes, keyedRoutes) {
		r := httptest.NewRequestWithContext(t.Context(), "GET", path(target), http.NoBody)
		route, err := c.contract.route(r)
		if err != nil {
			t.Fatal(err)
		}
		used = append(used, route.Path)
	}
	slices.Sort(used)
	testkit.Equal(t, "paths in the tests", used, c.api.Paths())
	for path, item := range paths.Map() {
		testkit.Equal(t, "methods of "+path, slices.Collect(maps.Keys(item.Operations())), []string{http.MethodGet})
	}
	exposed := strings.Split(c.get("/api/v1/stats").header.Get("Access-Control-Expose-Headers"), ", ")
	// Browsers expose these by themselves (the Fetch standard), or need not.
	hidden := []string{
		"Cache-Control", "Content-Length", "Content-Type", "Vary", "Allow", "Access-Control-Allow-Origin",
		"Access-Control-Expose-Headers",
	}
	for name := range c.contract.doc.Components.Headers {
		name, _, _ = strings.Cut(name, "-Of-Errors")
		name, _, _ = strings.Cut(name, "-Once-Loaded")
		name, _, _ = strings.Cut(name, "-Of-Changes")
		name, _, _ = strings.Cut(name, "-To-More")
		name, _, _ = strings.Cut(name, "-To-New-Slug")
		if !slices.Contains(hidden, name) && !slices.Contains(exposed, name) {
			t.Errorf("%s is in the contract but not exposed", name)
		}
	}
	for name, values := range map[string]any{
		"Icp": catalog.ICPs(), "PricingModel": catalog.Pricings(), "RetirementReason": catalog.Reasons(),
	} {
		testkit.Equal(t, name, fmt.Sprint(c.contract.doc.Components.Schemas[name].Value.Enum), fmt.Sprint(values))
	}
}

// Version 1 grows: no schema refuses a field that it does not know, and clients that validate with
// the document take the answers of tomorrow.
func TestContract_LeavesRoomToGrow(t *testing.T) {
	t.Parallel()
	served := string(newClient(t).get("/api/v1/openapi.json").want(http.StatusOK).text)
	if n := strings.Count(served, `"additionalProperties": false`) + strings.Count(served, `"additionalProperties":false`); n > 0 {
		t.Errorf("%d schemas are closed", n)
	}
}

// Generators make types of components of every kind, in one namespace: no two have the same name.
func TestContract_ComponentNamesAreUnique(t *testing.T) {
	t.Parallel()
	kinds := map[string]string{}
	components := loadContract(t).doc.Components
	see := func(kind string, names []string) {
		for _, name := range names {
			typeName := strings.ToLower(strings.NewReplacer("-", "", "_", "", ".", "").Replace(name))
			if other := kinds[typeName]; other != "" {
				t.Errorf("%s is the name of %s and of %s", name, other, kind)
			}
			kinds[typeName] = kind
		}
	}
	see("a schema", slices.Collect(maps.Keys(components.Schemas)))
	see("a parameter", slices.Collect(maps.Keys(components.Parameters)))
	see("a header", slices.Collect(maps.Keys(components.Headers)))
	see("a response", slices.Collect(maps.Keys(components.Responses)))
	see("a security scheme", slices.Collect(maps.Keys(components.SecuritySchemes)))
	if len(kinds) < 50 {
		t.Errorf("%d components only", len(kinds))
	}
}

// A second reader of YAML finds the same document: no value was read as another type than the one
// it was written as.
func TestContract_DocumentReadTwice(t *testing.T) {
	t.Parallel()
	c := newClient(t, of(catalog.Empty())) // nothing is filled in yet
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(c.get("/api/v1/openapi.json").want(http.StatusOK).text)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(loader.Context); err != nil {
		t.Fatal(err)
	}
	plain := func(doc *openapi3.T) (v any) {
		text, err := json.Marshal(doc)
		if err := errors.Join(err, json.Unmarshal(text, &v)); err != nil {
			t.Fatal(err)
		}
		return v
	}
	written, err := openapi3.NewLoader().LoadFromData(yamlOf(api.Contract()))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(plain(doc), plain(written)) {
		t.Error("the document served is not what another reader makes of the YAML")
	}
	if doc.OpenAPI != "3.0.3" || doc.Info.Version != "1.0.0" {
		t.Errorf("openapi %q, version %q", doc.OpenAPI, doc.Info.Version)
	}
}
