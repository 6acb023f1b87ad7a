package mcp

import (
	"maps"
	"net/http"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/purge"
	"github.com/palmares-hq/palmares/internal/web"
)

// The paths of the documents.
const (
	CardPath       = Path + "/server-card"          // MCP Server Cards, SEP-2127
	AICatalogPath  = "/.well-known/ai-catalog.json" // AI Catalog 1.0
	APICatalogPath = "/.well-known/api-catalog"     // RFC 9727
	openapiPath    = "/api/v1/openapi.json"         // the contract of the API
	cardType       = "application/mcp-server-card+json"
	aiCatalogType  = "application/ai-catalog+json"
	linksetType    = `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`
	cardSchema     = "https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json"
)

// Documents is a handler for the files through which programs discover the MCP server and the API. A node without
// either may serve them too.
type Documents struct {
	catalog Catalog
	baseURL string
	version string
	tags    bool
	handler http.Handler
}

// NewDocuments returns the documents of the service at baseURL. With tags, responses carry the tags by which a shared
// cache purges them.
func NewDocuments(c Catalog, baseURL, version string, tags bool) *Documents {
	d := &Documents{catalog: c, baseURL: baseURL, version: version, tags: tags}
	d.handler = web.Handler(d.serve, d.WriteError)
	return d
}

// DocumentPaths returns the paths of the documents.
func DocumentPaths() []string { return []string{CardPath, AICatalogPath, APICatalogPath} }

// ServeHTTP implements http.Handler.
func (d *Documents) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.handler.ServeHTTP(w, r) }

// WriteError implements web.ErrorWriter.
func (d *Documents) WriteError(w http.ResponseWriter, r *http.Request, e *web.Error) {
	web.SetFields(w, open, web.NewField("Cache-Control", "no-store"))
	maps.Copy(w.Header(), e.Header)
	body, err := encode(struct {
		Error string `json:"error"`
		web.Reason
	}{e.Message, web.ReasonOf(e)})
	if err != nil {
		panic(err) // cannot happen: strings always encode
	}
	web.NewResponse(e.Status, jsonType, "", body).Write(w, r)
}

var open = web.NewField("Access-Control-Allow-Origin", "*") // scripts of any site may read the documents

func (d *Documents) serve(w http.ResponseWriter, r *http.Request) error {
	const allowed = "GET, HEAD, OPTIONS"
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodOptions:
		web.SetFields(w, open, web.NewField("Access-Control-Allow-Methods", allowed), web.NewField("Access-Control-Allow-Headers", "Accept, Content-Type"))
		web.WriteComplete(w, r, http.StatusNoContent, nil)
		return nil
	default:
		e := web.Errorf(http.StatusMethodNotAllowed, "%s is not allowed here: use GET, HEAD or OPTIONS", web.Quote(r.Method))
		e.Header = http.Header{"Allow": {allowed}}
		return e
	}
	r.Pattern = r.URL.Path
	service := d.catalog.Current().Service()
	fields := []web.Field{open, web.NewField("Cache-Control", "public, max-age=3600"), web.NewField("X-Content-Type-Options", "nosniff")}
	if d.tags {
		fields = append(fields, web.TagFields([]string{string(purge.Service)})...)
	}
	var document any
	var contentType string
	switch r.URL.Path {
	case CardPath:
		document, contentType = d.card(service), cardType
	case AICatalogPath:
		document, contentType = d.aiCatalog(service), aiCatalogType
	case APICatalogPath:
		document, contentType = d.apiCatalog(), linksetType
		fields = append(fields, web.NewField("Link", "<"+d.baseURL+APICatalogPath+`>; rel="api-catalog"`))
	default:
		r.Pattern = ""
		return web.Errorf(http.StatusNotFound, "there is nothing at %s", web.Quote(r.URL.Path))
	}
	body, err := encode(document)
	if err != nil {
		return err
	}
	web.NewResponse(http.StatusOK, contentType, web.TagOf(body), body, fields...).Write(w, r)
	return nil
}

// A serverCard tells a client how to connect to the MCP server. It lists no tools: clients request those from the
// server.
type serverCard struct {
	Schema      string   `json:"$schema"`
	Name        string   `json:"name"`
	Version     string   `json:"version"`
	Description string   `json:"description"`
	Title       plain    `json:"title"`
	WebsiteURL  string   `json:"websiteUrl"`
	Remotes     []remote `json:"remotes"`
}

type remote struct {
	Type     string   `json:"type"`
	URL      string   `json:"url"`
	Headers  []header `json:"headers"`
	Versions []string `json:"supportedProtocolVersions"`
}

type header struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Placeholder string `json:"placeholder"`
	Required    bool   `json:"isRequired"`
	Secret      bool   `json:"isSecret"`
}

func (d *Documents) card(s catalog.Service) serverCard {
	const longest = 100
	return serverCard{
		Schema: cardSchema, Name: ServerName(d.baseURL), Version: d.version, Title: plain(shorten(s.Name, longest)),
		Description: "AI tools with scores, prices in euros, comparisons, retirements and sources. Read-only.",
		WebsiteURL:  d.baseURL + address.Agents.At(locale.English),
		Remotes: []remote{{
			Type: "streamable-http", URL: d.baseURL + Path, Versions: revisions,
			Headers: []header{{
				Name: "Authorization", Placeholder: "Bearer plm_…", Secret: true,
				Description: "An API key. It is optional; without one, calls count on the daily quota of the address.",
			}},
		}},
	}
}

// An aiCatalog lists what agents can use on this site: the MCP server.
type aiCatalog struct {
	Version string       `json:"specVersion"`
	Host    aiHost       `json:"host"`
	Entries []aiArtifact `json:"entries"`
}

type aiHost struct {
	Name          plain  `json:"displayName"`
	Identifier    string `json:"identifier"`
	Documentation string `json:"documentationUrl"`
}

type aiArtifact struct {
	Identifier string `json:"identifier"`
	Name       plain  `json:"displayName"`
	Type       string `json:"type"`
	URL        string `json:"url"`
}

func (d *Documents) aiCatalog(s catalog.Service) aiCatalog {
	host := hostOf(d.baseURL)
	return aiCatalog{
		Version: "1.0", Host: aiHost{plain(s.Name), host, d.baseURL + address.Agents.At(locale.English)},
		Entries: []aiArtifact{{"urn:air:" + host + ":catalog", plain(s.Name), cardType, d.baseURL + CardPath}},
	}
}

// A linkset is a list of links, grouped by what they are about (RFC 9264).
type linkset struct {
	Linkset []map[string]any `json:"linkset"`
}

type link struct {
	Href string `json:"href"`
	Type string `json:"type,omitempty"`
}

func (d *Documents) apiCatalog() linkset {
	api, mcp := d.baseURL+"/api/v1", d.baseURL+Path
	page := func(p address.Page) []link { return []link{{d.baseURL + p.At(locale.English), "text/html"}} }
	return linkset{[]map[string]any{
		{"anchor": d.baseURL + APICatalogPath, "item": []link{{Href: api}, {Href: mcp}}},
		{
			"anchor": api, "service-desc": []link{{d.baseURL + openapiPath, "application/json"}}, "service-doc": page(address.Reference),
			"status": page(address.Status),
		},
		{"anchor": mcp, "service-desc": []link{{d.baseURL + CardPath, cardType}}, "service-doc": page(address.Agents), "status": page(address.Status)},
	}}
}
