package api

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/web"
)

const openapiPath = "/api/v1/openapi.json"

// The guides on the site that error messages link to.
var (
	keysGuide   = address.Guide.At(locale.English, "authentication")
	plansGuide  = address.Guide.At(locale.English, "accounts")
	errorsGuide = address.Guide.At(locale.English, "errors")
)

// noSuchPath returns the error of an unknown path. It names the path that was probably meant, if there is one.
func noSuchPath(r *http.Request, meant string) error {
	if meant != "" {
		meant = "did you mean " + meant + "? "
	}
	return web.Errorf(http.StatusNotFound,
		"there is nothing at %s: "+meant+openapiPath+" lists what there is", web.Quote(r.URL.Path)).WithCode(web.CodeNoSuchPath)
}

func notFound(kind, slug string) error {
	return web.Errorf(http.StatusNotFound, "no %s has the slug %s", kind, web.Quote(slug)).WithCode(web.CodeUnknown)
}

// errRenamed returns the 404 for a former slug. It links to the same operation under the current slug (RFC 5829). A
// redirect would hide the new slug from clients that store slugs.
func errRenamed(kind, slug, now, nowURL string) error {
	e := web.Errorf(http.StatusNotFound, "the %s %s was renamed: its slug is now %s", kind, web.Quote(slug), web.Quote(now))
	e.Header = successorLink(nowURL)
	return e.WithCode(web.CodeRenamed)
}

func successorLink(url string) http.Header {
	return http.Header{"Link": {"<" + url + `>; rel="successor-version"`}}
}

// withErrorHelp returns a 404 with the address of the guide on errors added, and any other error as it is.
func withErrorHelp(e *web.Error, baseURL string) *web.Error {
	if e.Status != http.StatusNotFound {
		return e
	}
	help := *e
	help.Message += "; " + baseURL + errorsGuide + " says more"
	return &help
}

// retryLater returns a 503 that asks the client to come back in a few seconds: CodeBusy if too much is asked at once,
// else CodeUnavailable.
func retryLater(code web.Code, message string, cause error) error {
	e := web.Wrap(http.StatusServiceUnavailable, message, cause)
	e.Header = http.Header{"Retry-After": {"5"}}
	return e.WithCode(code)
}

// notLoaded returns the 503 for requests before the first edition.
func notLoaded() error {
	return retryLater(web.CodeUnavailable, "no catalogue is loaded yet: try again in a moment", nil)
}

// respondError returns the response that carries an error's message and reason as JSON.
func respondError(e *web.Error) *web.Response {
	body := encodeJSON(struct {
		Error string `json:"error"`
		web.Reason
	}{e.Message, web.ReasonOf(e)})
	return web.NewResponse(e.Status, jsonType, "", body)
}

// encodeJSON encodes v, and panics if it cannot. It does not escape <, > and &, because people read our JSON.
func encodeJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

// writeError sends the response of an error. No error is ever cached, whatever headers it has.
func writeError(w http.ResponseWriter, r *http.Request, e *web.Error, response *web.Response) {
	web.SetFields(w, cacheNever)
	for name, values := range e.Header {
		if name != "Cache-Control" {
			w.Header()[name] = values
		}
	}
	response.Write(w, r)
}
