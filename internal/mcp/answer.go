package mcp

import (
	"bytes"
	"net/http"
	"strings"
)

const jsonType = "application/json; charset=utf-8"

var jsonTypes = []string{jsonType}

// An answer is what the SDK writes, held back until it is complete: it must leave with our headers, and as JSON
// even where the SDK says what is wrong in plain text.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func newAnswer() *answer { return &answer{header: make(http.Header), status: http.StatusOK} }

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) { a.status = status }

// Write implements http.ResponseWriter.
func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }

// refused is the sentence of an error that the SDK wrote as plain text; "" of any other answer.
func (a *answer) refused() string {
	if a.status < http.StatusBadRequest || strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
		return ""
	}
	return strings.TrimSpace(a.body.String())
}
