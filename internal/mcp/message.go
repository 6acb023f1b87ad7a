package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
)

// maxBody is how many bytes a message has at most. The longest that makes sense, fifty items of 300 characters, has
// a quarter of it.
const maxBody = 64 << 10

// The codes of errors of JSON-RPC. What has a status of HTTP alone is a serverError.
const (
	invalidRequest = jsonrpc.CodeInvalidRequest
	methodMissing  = jsonrpc.CodeMethodNotFound
	internalError  = jsonrpc.CodeInternalError
	serverError    = -32000
)

// A message is what a client sent.
type message struct {
	body   []byte
	method string          // "" of a response, which nobody asked for
	id     json.RawMessage // null if it has none
}

var null = json.RawMessage("null")

// read reads the message of a request. Whatever the SDK reads is read here by the SDK's own decoder: who pays
// must not depend on which of two keys a decoder prefers.
func read(w http.ResponseWriter, r *http.Request) (message, error) {
	m := message{id: null}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return m, web.Errorf(http.StatusRequestEntityTooLarge, "a message has %d KB at most", maxBody>>10)
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return m, web.Wrap(http.StatusRequestTimeout, "the message did not come in time", err)
	case err != nil:
		return m, web.Wrap(http.StatusBadRequest, "the message cannot be read", err)
	}
	body = bytes.TrimSpace(body)
	if bytes.HasPrefix(body, []byte("[")) {
		return m, web.Errorf(http.StatusBadRequest, "an array of messages is not taken: send one message per request")
	}
	decoded, err := jsonrpc.DecodeMessage(body)
	if err != nil || !json.Valid(body) { // the decoder would not look at what follows a message
		return m, web.Errorf(http.StatusBadRequest, "this is not a message of JSON-RPC 2.0")
	}
	m.body = body
	if request, ok := decoded.(*jsonrpc.Request); ok {
		m.method = request.Method
		if id, err := json.Marshal(request.ID.Raw()); err == nil && request.ID.IsValid() {
			m.id = id
		}
	}
	return m, nil
}

// errorBody is an error of JSON-RPC.
func errorBody(id json.RawMessage, code int64, message string) []byte {
	b, err := encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   any             `json:"error"`
	}{"2.0", id, struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	}{code, catalog.Plain(message)}})
	if err != nil {
		panic(err) // cannot happen: the id has been decoded
	}
	return b
}

// codeOf is the code of an error that a status of HTTP tells.
func codeOf(status int) int64 {
	switch status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
		return invalidRequest
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return methodMissing
	case http.StatusInternalServerError:
		return internalError
	default:
		return serverError
	}
}
