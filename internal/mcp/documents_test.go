package mcp_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/mcp"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The documents say what their specifications want, and lead to what is there.
func TestDocuments(t *testing.T) {
	t.Parallel()
	v := serve(t, published())
	get := func(path, contentType string) map[string]any {
		got := v.send("GET", path, nil)
		testkit.Equal(t, path, got.status, http.StatusOK)
		testkit.Equal(t, path, got.header.Get("Content-Type"), contentType)
		testkit.Equal(t, path, got.header.Get("Access-Control-Allow-Origin"), "*")
		testkit.Equal(t, path, got.header.Get("Cache-Control"), "public, max-age=3600")
		head := v.send("HEAD", path, nil)
		testkit.Equal(t, path+": HEAD", head.header.Get("Etag"), got.header.Get("Etag"))
		testkit.Equal(t, path+": again", v.send("GET", path, nil, "If-None-Match", got.header.Get("Etag")).status, http.StatusNotModified)
		testkit.Equal(t, path+": POST", v.send("POST", path, strings.NewReader("{}")).status, http.StatusMethodNotAllowed)
		testkit.Equal(t, path+": OPTIONS", v.send("OPTIONS", path, nil).status, http.StatusNoContent)
		var d map[string]any
		testkit.Must(t, json.Unmarshal(got.body, &d))
		return d
	}
	card := get(mcp.CardPath, "application/mcp-server-card+json")
	if name, _ := card["name"].(string); !regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`).MatchString(name) {
		t.Errorf("the name is %s", name)
	}
	testkit.Equal(t, "$schema", card["$schema"], any("https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json"))
	testkit.Equal(t, "remote", at(card, "remotes.0.url"), any(v.url+"/mcp"))
	for _, field := range []string{"title", "description"} {
		if s, _ := card[field].(string); s == "" || len([]rune(s)) > 100 {
			t.Errorf("%s is %q", field, s)
		}
	}
	// The card says what the server says of itself.
	var discovered struct {
		SupportedVersions []any
		Meta              map[string]map[string]any `json:"_meta"`
	}
	testkit.Must(t, json.Unmarshal(v.ask(stateless, "server/discover", nil).rpc.Result, &discovered))
	testkit.Equal(t, "versions", at(card, "remotes.0.supportedProtocolVersions"), any(discovered.SupportedVersions))
	server := discovered.Meta["io.modelcontextprotocol/serverInfo"]
	testkit.Equal(t, "name", server["name"], card["name"])
	testkit.Equal(t, "version", server["version"], card["version"])

	list := get(mcp.AICatalogPath, "application/ai-catalog+json")
	testkit.Equal(t, "specVersion", list["specVersion"], any("1.0"))
	testkit.Equal(t, "type", at(list, "entries.0.type"), any("application/mcp-server-card+json"))
	testkit.Equal(t, "url", at(list, "entries.0.url"), any(v.url+mcp.CardPath))

	links := get(mcp.APICatalogPath, `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`)
	testkit.Equal(t, "the API", at(links, "linkset.1.anchor"), any(v.url+"/api/v1"))
	testkit.Equal(t, "its contract", at(links, "linkset.1.service-desc.0.href"), any(v.url+"/api/v1/openapi.json"))
	testkit.Equal(t, "the agents' server", at(links, "linkset.2.anchor"), any(v.url+"/mcp"))
	testkit.Equal(t, "items", len(at(links, "linkset.0.item").([]any)), 2)
	testkit.Equal(t, "Link", v.send("HEAD", mcp.APICatalogPath, nil).header.Get("Link"), "<"+v.url+mcp.APICatalogPath+`>; rel="api-catalog"`)
}

func TestServerName(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"https://catalog.example.org": "org.example.catalog/catalog", "http://127.0.0.1:8080": "1.0.0.127/catalog",
		"http://[::1]:8080": "--1/catalog", "": "localhost/catalog",
	} {
		testkit.Equal(t, url, mcp.ServerName(url), want)
	}
}
