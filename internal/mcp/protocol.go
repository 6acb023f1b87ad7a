package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/web"
)

// The headers of the protocol, as net/http keeps them.
const (
	revisionHeader = "Mcp-Protocol-Version"
	methodHeader   = "Mcp-Method"
	nameHeader     = "Mcp-Name"
)

// The fields of _meta in which a message of the stateless revisions says what it needs, and an answer who gives it.
const (
	metaRevision     = "io.modelcontextprotocol/protocolVersion"
	metaClient       = "io.modelcontextprotocol/clientInfo"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaServer       = "io.modelcontextprotocol/serverInfo"
)

// A failure is an error of the protocol. Before the stateless revisions its status is 200.
type failure struct {
	status  int
	code    int64
	message string

	requested string // the revision, where it is not spoken here
}

// Error implements error.
func (f *failure) Error() string { return f.message }

// data returns why the message was refused.
func (f *failure) data() errorData {
	d := errorData{Reason: web.Reason{Code: web.CodeBadParameter, Parameter: wholeMessage}, Requested: f.requested}
	switch f.code {
	case methodMissing:
		d.Reason = web.Reason{Code: web.CodeMethod}
	case internalError:
		d.Reason = web.Reason{Code: web.CodeUnavailable}
	}
	if f.requested != "" {
		d.Supported = revisions
	}
	return d
}

// checkHeaders checks what the protocol asks of every request, whatever its message.
func checkHeaders(h http.Header) error {
	revision := h.Get(revisionHeader)
	switch {
	case revision != "" && revision < statelessSince && !slices.Contains(revisions, revision):
		return web.Errorf(http.StatusBadRequest, "the revision %s of the protocol is not spoken here: %s are", web.Quote(revision), strings.Join(revisions, ", "))
	case mediaType(h.Get("Content-Type")) != "application/json":
		return web.Errorf(http.StatusUnsupportedMediaType, "Content-Type must be application/json")
	case !accepts(h.Values("Accept")):
		return web.Errorf(http.StatusBadRequest, "Accept must have both application/json and text/event-stream")
	case len(h.Values("Last-Event-Id")) > 0:
		return web.Errorf(http.StatusBadRequest, "there are no streams to go on with: leave out Last-Event-ID")
	}
	return nil
}

// mediaType returns a media type in lower case, without parameters.
func mediaType(value string) string {
	value, _, _ = strings.Cut(value, ";")
	return strings.ToLower(strings.TrimSpace(value))
}

// accepts reports whether a client takes both forms of answers, as the protocol asks of clients.
func accepts(values []string) bool {
	object, stream := false, false
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			switch mediaType(part) {
			case "application/json", "application/*":
				object = true
			case "text/event-stream", "text/*":
				stream = true
			case "*/*":
				object, stream = true, true
			}
		}
	}
	return object && stream
}

// A request is a message that is being answered.
type request struct {
	*message
	params    map[string]json.RawMessage
	revision  string // of the header; "" where a client sends none
	stateless bool   // it says all about itself
}

// newRequest checks that the message, its parameters and its headers agree. Its error is a failure, or the response.
func newRequest(m *message, h http.Header) (*request, error) {
	r := &request{message: m, params: fieldsIn(m.params), revision: h.Get(revisionHeader)}
	meta := fieldsIn(r.params["_meta"])
	stated := stringIn(meta[metaRevision])
	mismatch := func(format string, args ...any) error {
		return &failure{http.StatusBadRequest, headerMismatch, fmt.Sprintf(format, args...), ""}
	}
	isNew := r.revision >= statelessSince
	switch notified := isNotification(m.method); {
	case notified && m.awaits:
		return nil, web.Errorf(http.StatusBadRequest, "a notification has no id")
	case !notified && !m.awaits:
		return nil, web.Errorf(http.StatusBadRequest, "a request has an id")
	case stated != "" && r.revision == "":
		return nil, mismatch("the header MCP-Protocol-Version is missing")
	case m.awaits && isNew && stated == "":
		return nil, &failure{http.StatusBadRequest, invalidParams, "_meta lacks " + metaRevision, ""}
	case stated != "" && stated != r.revision:
		return nil, mismatch("the header MCP-Protocol-Version has %s, and _meta %s", web.Quote(r.revision), web.Quote(stated))
	case isNew && h.Get(methodHeader) != m.method:
		return nil, mismatch("the header Mcp-Method must have the method of the message, %s", web.Quote(m.method))
	case isNew && m.method == callMethod && (h.Get(nameHeader) == "" || h.Get(nameHeader) != stringIn(r.params["name"])):
		return nil, mismatch("the header Mcp-Name must have the name of the tool")
	}
	if r.stateless = m.awaits && stated >= statelessSince; !r.stateless {
		return r, nil
	}
	if client, given := meta[metaClient]; given && fieldsIn(client) == nil {
		return nil, r.fail(invalidParams, metaClient+" of _meta is no object")
	}
	if fieldsIn(meta[metaCapabilities]) == nil {
		return nil, r.fail(invalidParams, "_meta lacks "+metaCapabilities)
	}
	if !slices.Contains(revisions, stated) {
		f := r.fail(unsupportedRevision, "the revision "+web.Quote(stated)+" of the protocol is not spoken here")
		f.requested = stated
		return nil, f
	}
	return r, nil
}

// fail returns a failure with the status that the client's revision has for its code.
func (r *request) fail(code int64, message string) *failure {
	f := &failure{http.StatusOK, code, message, ""}
	if r.revision >= statelessSince {
		switch code {
		case methodMissing:
			f.status = http.StatusNotFound
		case invalidParams, unsupportedRevision:
			f.status = http.StatusBadRequest
		}
	}
	return f
}

// respond answers a request. Its error may be a failure.
func (s *Server) respond(ctx context.Context, r *request) ([]byte, error) {
	removed := r.method == initializeMethod || r.method == pingMethod
	switch {
	case removed && r.stateless, r.method == discoverMethod && !r.stateless:
		return nil, r.fail(methodMissing, web.Quote(r.method)+" is of other revisions of the protocol than yours")
	case r.params == nil && len(r.message.params) > 0:
		return nil, r.fail(invalidParams, "params is no object")
	case r.params == nil && (r.method == initializeMethod || r.method == callMethod):
		return nil, web.Errorf(http.StatusBadRequest, "this message lacks its params")
	case r.method == callMethod:
		return s.callTool(ctx, r)
	case strings.HasSuffix(r.method, "/list") && stringIn(r.params["cursor"]) != "":
		return nil, r.fail(invalidParams, "lists have one page: leave out cursor")
	}
	const empty = "[]"
	switch r.method {
	case initializeMethod:
		return s.result(r, `"capabilities":{"tools":{}},"instructions":`, s.said, `,"protocolVersion":"`+negotiated(stringIn(r.params["protocolVersion"]))+
			`","serverInfo":`, s.self), nil
	case discoverMethod:
		return s.result(r, cacheable+`,"supportedVersions":["`+strings.Join(revisions, `","`)+`"],"capabilities":{"tools":{}},"instructions":`, s.said), nil
	case "tools/list":
		return s.result(r, cacheable+`,"tools":`, s.listed.of(s.o.Catalog.Current())), nil
	case "prompts/list":
		return s.result(r, cacheable+`,"prompts":`+empty), nil
	case "resources/list":
		return s.result(r, cacheable+`,"resources":`+empty), nil
	case "resources/templates/list":
		return s.result(r, cacheable+`,"resourceTemplates":`+empty), nil
	default:
		return s.result(r), nil
	}
}

// negotiated returns the revision that the server speaks with a client that begins with initialize and asks for another.
func negotiated(asked string) string {
	if slices.Contains(revisions, asked) && asked < statelessSince {
		return asked
	}
	return revisions[slices.IndexFunc(revisions, func(r string) bool { return r < statelessSince })]
}

// result returns the response to a request whose result has these fields, written as JSON in parts.
func (s *Server) result(r *request, parts ...string) []byte {
	size := len(s.self) + len(r.id) + 200
	for _, part := range parts {
		size += len(part)
	}
	b := make([]byte, 0, size)
	b = append(append(append(b, `{"jsonrpc":"2.0","id":`...), r.id...), `,"result":{`...)
	if r.stateless {
		b = append(append(append(b, `"resultType":"complete","_meta":{"`+metaServer+`":`...), s.self...), '}')
		if len(parts) > 0 {
			b = append(b, ',')
		}
	}
	for _, part := range parts {
		b = append(b, part...)
	}
	return append(b, "}}"...)
}

// callTool calls a tool. A panic of it is one failed call.
func (s *Server) callTool(ctx context.Context, r *request) (response []byte, err error) {
	name := stringIn(r.params["name"])
	t, known := s.tools[name]
	if !known {
		s.o.Called("", failed)
		return nil, r.fail(invalidParams, "there is no tool "+web.Quote(name)+": tools/list has those that there are")
	}
	outcome := failed
	defer func() {
		if v := recover(); v != nil {
			s.o.Panicked(name, v, debug.Stack())
			response, err = nil, r.fail(internalError, "internal error")
		}
		s.o.Called(name, outcome)
	}()
	c := &call{Snapshot: s.o.Catalog.Current(), ctx: ctx, changes: s.o.Changes, baseURL: s.o.BaseURL}
	out, err := t.answer(c, r.params["arguments"])
	if err != nil {
		said, err := encode(wrong(err))
		if err != nil {
			return nil, err
		}
		outcome = refused
		return s.result(r, `"content":[{"type":"text","text":`, string(said), `}],"isError":true`), nil
	}
	body, err := encode(out)
	if err != nil {
		return nil, err
	}
	quoted, err := encode(string(body))
	if err != nil {
		return nil, err
	}
	outcome = answered
	return s.result(r, `"content":[{"type":"text","text":`, string(quoted), `}],"structuredContent":`, string(body)), nil
}
