package web

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// ReadForm reads the form of a POST. Its error is the response: a 415 for another content type, a 413 beyond most
// bytes, a 408 when the body is too slow, or a 400.
func ReadForm(w http.ResponseWriter, r *http.Request, most int64) (url.Values, error) {
	r.Body = http.MaxBytesReader(w, r.Body, most)
	contentType, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(contentType), "application/x-www-form-urlencoded") {
		return nil, Errorf(http.StatusUnsupportedMediaType, "a form is sent as application/x-www-form-urlencoded")
	}
	if err := r.ParseForm(); err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return nil, Errorf(http.StatusRequestEntityTooLarge, "the form has more than %d KB", most>>10)
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, Wrap(http.StatusRequestTimeout, "the form did not come in time", err)
		}
		return nil, Errorf(http.StatusBadRequest, "the form cannot be read")
	}
	return r.PostForm, nil
}
