package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
)

// The methods of the protocol that are answered, beside notifications. The SDK would answer others that no capability
// names, and open a stream without an end to whoever listens. Lists of what is not there are empty: many clients ask for
// them, whatever capabilities say, and the conformance suite does.
const (
	callMethod       = "tools/call"
	initializeMethod = "initialize"
	discoverMethod   = "server/discover"
	listenMethod     = "subscriptions/listen"
)

var offered = []string{
	initializeMethod, "ping", discoverMethod, "tools/list", callMethod, "prompts/list", "resources/list", "resources/templates/list",
}

// How many bytes a message has at most, by its method. The longest call that makes sense, fifty items of 300 characters,
// has a quarter of what calls may have; what clients say of themselves is shorter, and all else is a few words.
const (
	maxCall  = 64 << 10
	maxHello = 16 << 10
	maxOther = 4 << 10
)

// maxOf returns how many bytes a message of that method has at most.
func maxOf(method string) int {
	switch method {
	case callMethod:
		return maxCall
	case initializeMethod, discoverMethod:
		return maxHello
	default:
		return maxOther
	}
}

// The codes of errors of JSON-RPC. What has a status of HTTP alone is a serverError.
const (
	parseError     = jsonrpc.CodeParseError
	invalidRequest = jsonrpc.CodeInvalidRequest
	methodMissing  = jsonrpc.CodeMethodNotFound
	internalError  = jsonrpc.CodeInternalError
	serverError    = -32000
)

// A message is what a client sent, as far as it was read.
type message struct {
	body   []byte
	method string          // "" of a response, which nobody asked for, and of what is no message
	id     json.RawMessage // null if it has none
}

var null = json.RawMessage("null")

// readUpTo reads on until the body of a request has ended, or the message has as many bytes, and reports whether it is
// whole then.
func (m *message) readUpTo(most int, r *http.Request) (whole bool, err error) {
	if m.body == nil {
		m.body = make([]byte, 0, min(most, max(int(r.ContentLength), 511))+1)
	}
	for len(m.body) <= most { // one byte more tells that there is more
		if len(m.body) == cap(m.body) {
			m.body = slices.Grow(m.body, min(most+1-len(m.body), max(len(m.body), int(r.ContentLength)-len(m.body)+1)))
		}
		n, err := r.Body.Read(m.body[len(m.body):min(cap(m.body), most+1)])
		m.body = m.body[:len(m.body)+n]
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			return false, web.Wrap(http.StatusRequestTimeout, "the message did not come in time", err)
		case err != nil:
			return false, web.Wrap(http.StatusBadRequest, "the message cannot be read", err)
		}
	}
	return false, nil
}

func tooLarge(most int) error {
	return web.Errorf(http.StatusRequestEntityTooLarge, "a message like this has %d KB at most", most>>10)
}

// errNoJSON is the cause of an error that has a code of its own.
var errNoJSON = errors.New("no JSON")

// decode decodes the message by the SDK's own decoder, and holds it to what was scanned: who pays must not depend on
// which of two keys a decoder prefers.
func (m *message) decode() error {
	body := bytes.TrimSpace(m.body)
	if !json.Valid(body) {
		return web.Wrap(http.StatusBadRequest, "this is not JSON", errNoJSON)
	}
	if bytes.HasPrefix(body, []byte("[")) {
		return web.Errorf(http.StatusBadRequest, "an array of messages is not taken: send one message per request")
	}
	decoded, err := jsonrpc.DecodeMessage(body)
	if err != nil {
		return web.Errorf(http.StatusBadRequest, "this is not a message of JSON-RPC 2.0")
	}
	m.body = body
	method := ""
	if request, ok := decoded.(*jsonrpc.Request); ok {
		method = request.Method
		if id, err := json.Marshal(request.ID.Raw()); err == nil && request.ID.IsValid() {
			m.id = id
		}
	}
	if method != m.method {
		return web.Errorf(http.StatusBadRequest, "a message names its method once")
	}
	return nil
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

// codeOf returns the code of an error, which mostly follows from its status of HTTP.
func codeOf(e *web.Error) int64 {
	if errors.Is(e, errNoJSON) {
		return parseError
	}
	switch e.Status {
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
