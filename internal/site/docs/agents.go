package docs

import (
	"html/template"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/site/view"
)

// An Agents makes the page that shows how to connect agents to the catalog.
type Agents struct {
	mcp MCP
	key string // the key in samples
}

// NewAgents returns an Agents for an MCP server. Samples show the key, or a placeholder if it is "".
func NewAgents(m MCP, key string) *Agents { return &Agents{m, sampleKey(key)} }

type agentsBody struct {
	Address   string
	Tools     []askedTool
	Clients   []agentClient
	KeyWhy    string
	Guide     string
	Documents []string
	Dialogue  *dialogue // nil if the catalog has too little for one
}

type askedTool struct{ Name, What, Question string }

// An agentClient is a client program with its configuration.
type agentClient struct {
	Name   string
	Text   template.HTML
	Sample template.HTML
}

// Page returns the page about agents.
func (a *Agents) Page(v *view.View) (*view.Document, error) {
	plans := v.Plans()
	body := agentsBody{
		Address:   v.Base() + a.mcp.Path,
		KeyWhy:    v.Text.Must("agents.key.why", v.Text.Integer(plans.Anonymous), v.Text.Integer(plans.Developer)),
		Guide:     v.Path(address.Guide, v.Text.Must("agents.guide.slug")),
		Documents: a.mcp.Documents,
	}
	for _, name := range a.mcp.Tools {
		body.Tools = append(body.Tools, askedTool{
			name, v.Text.Must("agents.tool." + name), v.Text.Quoted(v.Text.Must("agents.ask." + name)),
		})
	}
	for _, c := range agentClients {
		text, err := v.Text.HTML("agents.connect." + c.name + "-html")
		if err != nil {
			return nil, err
		}
		sample := c.sample
		sample.Text = strings.NewReplacer("{url}", v.Base()+a.mcp.Path, "{key}", a.key).Replace(sample.Text)
		body.Clients = append(body.Clients, agentClient{v.Text.Must("agents.client." + c.name), text, figure(v, sample)})
	}
	var err error
	if body.Dialogue, err = converse(v, a.mcp); err != nil {
		return nil, err
	}
	return &view.Document{
		Template: "agents", Section: address.Guides, Title: v.Text.Must("agents.title"), Description: v.Text.Must("agents.description"),
		Keys: true, Body: body,
	}, nil
}

// agentClients are client programs and how to configure them, as their own documentation describes it. The server is
// named ai-tools throughout, because each operator names the catalog differently.
var agentClients = []struct {
	name   string
	sample guide.Sample
}{
	{"claude-code", guide.Sample{Language: "sh", Text: `claude mcp add --transport http ai-tools {url} \
  --header "Authorization: Bearer {key}"
`}},
	{"claude-team", guide.Sample{Language: "json", File: ".mcp.json", Text: `{
  "mcpServers": {
    "ai-tools": {
      "type": "http",
      "url": "{url}",
      "headers": { "Authorization": "Bearer ${AI_TOOLS_KEY}" }
    }
  }
}
`}},
	{"claude-desktop", guide.Sample{Language: "json", File: "claude_desktop_config.json", Text: `{
  "mcpServers": {
    "ai-tools": {
      "command": "npx",
      "args": [
        "-y", "mcp-remote", "{url}",
        "--header", "Authorization:${AUTH_HEADER}"
      ],
      "env": { "AUTH_HEADER": "Bearer {key}" }
    }
  }
}
`}},
	{"cursor", guide.Sample{Language: "json", File: "mcp.json", Text: `{
  "mcpServers": {
    "ai-tools": {
      "url": "{url}",
      "headers": { "Authorization": "Bearer ${env:AI_TOOLS_KEY}" }
    }
  }
}
`}},
	{"vscode", guide.Sample{Language: "json", File: ".vscode/mcp.json", Text: `{
  "inputs": [
    {
      "type": "promptString",
      "id": "ai-tools-key",
      "description": "API key",
      "password": true
    }
  ],
  "servers": {
    "ai-tools": {
      "type": "http",
      "url": "{url}",
      "headers": { "Authorization": "Bearer ${input:ai-tools-key}" }
    }
  }
}
`}},
}
