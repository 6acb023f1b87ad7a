package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// listedTools keeps the tools as JSON, in our order: the SDK has them by name, and models read from the top. Encoding them takes longer than any tool takes to answer, and they never
// change.
type listedTools struct {
	once sync.Once
	json []byte
	err  error
}

func (l *listedTools) encode(tools []*sdk.Tool) ([]byte, error) {
	l.once.Do(func() {
		names := Names()
		slices.SortFunc(tools, func(a, b *sdk.Tool) int { return slices.Index(names, a.Name) - slices.Index(names, b.Name) })
		l.json, l.err = encode(tools)
	})
	return l.json, l.err
}

// A readyList is a list of tools that were encoded before.
type readyList struct {
	*sdk.ListToolsResult
	tools []byte
}

// MarshalJSON encodes what is different from one list to another, which depends on the revision of the protocol,
// and puts the tools in.
func (r *readyList) MarshalJSON() ([]byte, error) {
	rest := *r.ListToolsResult
	rest.Tools = nil
	b, err := json.Marshal(&rest)
	if err != nil {
		return nil, err
	}
	before, after, found := bytes.Cut(b, []byte(`"tools":null`))
	if !found {
		return nil, fmt.Errorf("a list of tools is encoded as %s", b)
	}
	return bytes.Join([][]byte{before, []byte(`"tools":`), r.tools, after}, nil), nil
}

// ready gives the list of tools with what was encoded before.
func (l *listedTools) ready(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, req)
		list, ok := result.(*sdk.ListToolsResult)
		if err != nil || !ok {
			return result, err
		}
		tools, err := l.encode(list.Tools)
		if err != nil {
			return nil, err
		}
		return &readyList{list, tools}, nil
	}
}
