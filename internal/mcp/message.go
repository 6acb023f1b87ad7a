package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/text"
	"github.com/palmares-hq/palmares/internal/web"
)

// The revisions of the protocol that the server speaks, the newest first. Since statelessSince there is no initialize:
// each message says all about itself, in headers too, and an unknown method is HTTP 404. Older clients take a 404 for the
// end of their session.
const statelessSince = "2026-07-28"

var revisions = []string{statelessSince, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// The methods that the server answers, besides notifications. The lists of prompts and resources are answered, and are
// empty: many clients request them whatever the capabilities say, and so does the conformance suite.
const (
	callMethod       = "tools/call"
	initializeMethod = "initialize"
	pingMethod       = "ping"
	discoverMethod   = "server/discover"
	listenMethod     = "subscriptions/listen"
)

var offered = []string{
	initializeMethod, pingMethod, discoverMethod, "tools/list", callMethod, "prompts/list", "resources/list", "resources/templates/list",
}

// The largest message in bytes, by method. The longest useful call, fifty items of 300 characters, takes a quarter of
// maxCall. What clients say about themselves fits into maxHello; all other messages are a few words.
const (
	maxCall  = 64 << 10
	maxHello = 16 << 10
	maxOther = 4 << 10
)

// isNotification reports whether messages of that method await no response.
func isNotification(method string) bool { return strings.HasPrefix(method, "notifications/") }

// maxOf returns the largest size in bytes of a message with that method.
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

// The error codes of JSON-RPC and of the protocol. An error that only has an HTTP status is a serverError.
const (
	parseError          = -32700
	invalidRequest      = -32600
	methodMissing       = -32601
	invalidParams       = -32602
	internalError       = -32603
	serverError         = -32000
	headerMismatch      = -32020
	unsupportedRevision = -32022
)

// A message is a message from a client, as far as it has been read.
type message struct {
	body   []byte
	method string          // "" for a response, which no client should send, and for anything that is not a message
	id     json.RawMessage // null if it has none
	awaits bool            // a response: it has an id
	params json.RawMessage // nil if it has none

	isResponse bool // to nothing that was asked
}

var null = json.RawMessage("null")

// readUpTo reads on until the body ends or has more than most bytes, and reports whether the message is whole. Its
// error is the response: a 408 if the client is too slow, else a 400.
func (m *message) readUpTo(most int, r *http.Request) (whole bool, err error) {
	if m.body == nil {
		m.body = make([]byte, 0, min(most, max(int(r.ContentLength), 511))+1)
	}
	for len(m.body) <= most { // one more byte shows that the body goes on
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

// errNoJSON is the cause of the 400 for a body that is not JSON, for codeOf: it has a JSON-RPC code of its own.
var errNoJSON = errors.New("no JSON")

// decode decodes the message, once, but not its parameters. It fails if the method is not the one that scan found, so that
// the method that was charged for is the one that runs, even when a key appears twice.
func (m *message) decode() error {
	body := bytes.TrimSpace(m.body)
	var fields map[string]json.RawMessage // and no struct, which would take keys in any case
	err := json.Unmarshal(body, &fields)
	noMessage := web.Errorf(http.StatusBadRequest, "this is not a message of JSON-RPC 2.0")
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return web.Wrap(http.StatusBadRequest, "this is not JSON", errNoJSON)
	}
	switch {
	case bytes.HasPrefix(body, []byte("[")):
		return web.Errorf(http.StatusBadRequest, "an array of messages is not taken: send one message per request")
	case err != nil || string(fields["jsonrpc"]) != `"2.0"`:
		return noMessage
	}
	var method string
	if named, ok := fields["method"]; ok && json.Unmarshal(named, &method) != nil {
		return noMessage
	}
	switch id := fields["id"]; {
	case len(id) == 0 || string(id) == "null":
		if _, ok := fields["method"]; !ok {
			return noMessage
		}
	case id[0] == '"':
		m.awaits = true
		if m.id, err = encode(stringIn(id)); err != nil { // no bytes that are no text
			return err
		}
	case id[0] == '-' || id[0] >= '0' && id[0] <= '9':
		m.id, m.awaits = id, true
	default:
		return noMessage
	}
	if method != m.method {
		return web.Errorf(http.StatusBadRequest, "a message names its method once")
	}
	_, named := fields["method"]
	m.isResponse = !named
	if m.params = fields["params"]; string(m.params) == "null" {
		m.params = nil
	}
	return nil
}

// fieldsIn returns the fields of a JSON object; nil if the value is none.
func fieldsIn(value json.RawMessage) (fields map[string]json.RawMessage) {
	if json.Unmarshal(value, &fields) != nil {
		return nil
	}
	return fields
}

// stringIn returns a JSON string; "" if the value is none.
func stringIn(value json.RawMessage) (s string) {
	if json.Unmarshal(value, &s) != nil {
		return ""
	}
	return s
}

// errorBody returns a JSON-RPC error response. The message is reduced to one line; data says why, for programs.
func errorBody(id json.RawMessage, code int64, message string, data errorData) []byte {
	b, err := encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   any             `json:"error"`
	}{"2.0", id, struct {
		Code    int64     `json:"code"`
		Message string    `json:"message"`
		Data    errorData `json:"data"`
	}{code, text.Line(message), data}})
	if err != nil {
		panic(err) // cannot happen: the id has been decoded
	}
	return b
}

// An errorData says why a message was refused, with the API's codes.
type errorData struct {
	web.Reason
	Supported []string `json:"supported,omitempty"` // revisions of the protocol
	Requested string   `json:"requested,omitempty"` // the revision that was asked for
}

// wholeMessage is the parameter at fault where it is the message itself.
const wholeMessage = "message"

// reasonOf returns the reason of an error, with the API's codes.
func reasonOf(e *web.Error) web.Reason {
	r := web.ReasonOf(e)
	if r.Code == web.CodeBadParameter && r.Parameter == "" {
		r.Parameter = wholeMessage
	}
	return r
}

// codeOf returns the JSON-RPC code of an error, which follows from its HTTP status except for a parse error.
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

// maxID is the longest id, in bytes, that an error repeats. Clients use counters, or random ids of some 40 characters.
const maxID = 128

// A scanned message has the method and the id that scan found in the beginning of a message. The method decides
// whether the message is charged and how large it may be.
type scanned struct {
	method []byte          // as written between its quotes; nil if there is none yet
	id     json.RawMessage // null if there is none yet
}

// scan finds the method and the id in the beginning of a message, without decoding and without allocating. It takes
// the first of each; message.decode fails if the decoder finds another method, and replaces the id by its own. A body
// that is not JSON may have neither.
func scan(b []byte) scanned {
	found := scanned{id: null}
	rest, ok := after(b, '{')
	for ok {
		var key, value []byte
		if key, rest, ok = scanString(rest); !ok {
			break
		}
		if rest, ok = after(rest, ':'); !ok {
			break
		}
		if value, rest, ok = scanValue(rest); !ok {
			break
		}
		switch value = bytes.TrimSpace(value); string(key) {
		case "method":
			if text := unquoted(value); found.method == nil && text != nil {
				found.method = text
			}
		case "id":
			if isID(value) && string(found.id) == "null" {
				found.id = value
			}
		}
		rest, ok = after(rest, ',')
	}
	return found
}

// after skips spaces and the byte next, and returns the rest; ok is false if another byte comes first.
func after(b []byte, next byte) (rest []byte, ok bool) {
	if b = skipSpaces(b); len(b) == 0 || b[0] != next {
		return nil, false
	}
	return b[1:], true
}

func skipSpaces(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t' || b[0] == '\n' || b[0] == '\r') {
		b = b[1:]
	}
	return b
}

// scanString reads a JSON string and returns the text between its quotes, with its escapes.
func scanString(b []byte) (text, rest []byte, ok bool) {
	if b, ok = after(b, '"'); !ok {
		return nil, nil, false
	}
	for at := 0; ; {
		quote := bytes.IndexByte(b[at:], '"')
		if quote < 0 {
			return nil, nil, false
		}
		at += quote
		escapes := 0
		for escapes < at && b[at-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return b[:at], b[at+1:], true
		}
		at++
	}
}

// scanValue reads a JSON value of any type; whole is false if b ends before the value does.
func scanValue(b []byte) (value, rest []byte, whole bool) {
	b = skipSpaces(b)
	depth := 0
	for at := 0; at < len(b); {
		switch b[at] {
		case '"':
			_, left, ok := scanString(b[at:])
			if !ok {
				return nil, nil, false
			}
			if at = len(b) - len(left); depth == 0 {
				return b[:at], b[at:], true
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // the end of the enclosing object or array
				return b[:at], b[at:], true
			}
			if depth--; depth == 0 {
				return b[:at+1], b[at+1:], true
			}
		case ',':
			if depth == 0 {
				return b[:at], b[at:], true
			}
		}
		at++
	}
	return nil, nil, false
}

// unquoted returns the text between the quotes of a JSON string, with its escapes; nil for any other value.
func unquoted(value []byte) []byte {
	if len(value) < 2 || value[0] != '"' || value[len(value)-1] != '"' {
		return nil
	}
	return value[1 : len(value)-1]
}

// isID reports whether a value is an id that an error can repeat.
func isID(value []byte) bool {
	return len(value) > 0 && len(value) <= maxID && (value[0] == '"' || value[0] == '-' || value[0] >= '0' && value[0] <= '9') && json.Valid(value)
}

// name returns the method, unescaped; "" if it is malformed, or escaped and too long. Few clients escape anything in
// it, but some write \/ for every slash.
func (s scanned) name() string {
	if bytes.IndexByte(s.method, '\\') < 0 {
		for _, m := range offered {
			if string(s.method) == m {
				return m // no copy
			}
		}
		return string(s.method)
	}
	var text string
	if len(s.method) > maxID || json.Unmarshal([]byte(`"`+string(s.method)+`"`), &text) != nil {
		return ""
	}
	return text
}
