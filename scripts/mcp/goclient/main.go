// Command goclient connects the Go SDK's client of the Model Context Protocol to a server, lists the tools and calls each
// of them. scripts/mcp/run runs it beside the clients of npm:
//
//	goclient URL KEY
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// calls has one call for each tool. None may return an error: the example catalog has every item they name.
var calls = []mcp.CallToolParams{
	{Name: "search_tools", Arguments: map[string]any{"q": "code", "limit": 3}},
	{Name: "get_tool", Arguments: map[string]any{"slug": "tournevis"}},
	{Name: "compare_tools", Arguments: map[string]any{"slugs": []string{"tournevis", "rabotine"}}},
	{Name: "price_history", Arguments: map[string]any{"slug": "tournevis"}},
	{Name: "alternatives", Arguments: map[string]any{"slug": "tournevis"}},
	{Name: "retired", Arguments: map[string]any{"slug": "dictafolle"}},
	{Name: "what_changed", Arguments: map[string]any{"limit": 3}},
	{Name: "check_stack", Arguments: map[string]any{"items": []string{"tournevis", "dictafolle"}}},
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: goclient URL KEY")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := use(ctx, os.Args[1], os.Args[2]); err != nil {
		fmt.Printf("✗ go-sdk %s: %v\n", sdkVersion(), err)
		cancel()
		os.Exit(1) //nolint:gocritic // cancel has been called
	}
	fmt.Printf("✓ go-sdk %s: connected, listed %d tools, called each\n", sdkVersion(), len(calls))
}

// use connects, lists and calls.
func use(ctx context.Context, url, key string) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "goclient", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: url, HTTPClient: &http.Client{Transport: bearer(key)}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		return err
	}
	defer session.Close() //nolint:errcheck // the server has no sessions
	listed, err := session.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	if len(listed.Tools) != len(calls) {
		return fmt.Errorf("%d tools, want %d", len(listed.Tools), len(calls))
	}
	for i := range calls {
		if listed.Tools[i].Name != calls[i].Name {
			return fmt.Errorf("tool %d is %s, want %s", i, listed.Tools[i].Name, calls[i].Name)
		}
		result, err := session.CallTool(ctx, &calls[i])
		if err != nil {
			return fmt.Errorf("%s: %w", calls[i].Name, err)
		}
		if result.IsError || result.StructuredContent == nil {
			return fmt.Errorf("%s: an error, or an answer without structured content: %v", calls[i].Name, result.Content)
		}
	}
	return nil
}

// bearer is a transport that sends an API key with each request.
type bearer string

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r) //nolint:wrapcheck // the client says what failed
}

// sdkVersion returns the version of the SDK that is linked in.
func sdkVersion() string {
	info, _ := debug.ReadBuildInfo()
	for _, m := range info.Deps {
		if m.Path == "github.com/modelcontextprotocol/go-sdk" {
			return m.Version
		}
	}
	return "of an unknown version"
}
