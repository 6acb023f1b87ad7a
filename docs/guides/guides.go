// Package guides holds the texts for people who call the API, in French and in English. They are the only
// source of the pages below /docs. Each language is written on its own, from the same facts; a test checks that
// their sections and their samples correspond.
//
// A guide begins with its title and one paragraph, which is its description. Every other heading
// has an anchor, {#like-this}, the same in both languages. Links to other guides name their files.
//
// A fenced block is a sample, and a test runs it. The words after the language say how the test treats it:
//
//   - "file=NAME": saved under that name, for a later sample to run
//   - "output": what the previous sample prints. An ellipsis stands for what differs from run to run:
//     part of a line or, alone on its line, any number of lines
//   - "shown": neither run nor printed by anything; another test compares it
//
// Double braces mark what differs between installations: {{base}}, {{name}}, {{credit}} and the other
// placeholders that package site fills in.
package guides

import "embed"

// Files are the guides: fr/NAME.md and en/NAME.md.
//
//go:embed fr/*.md en/*.md
var Files embed.FS

// Names are the French and English names of the guides, in reading order, which is that of the groups
// of their list. Each is part of its page's address.
var Names = [][2]string{
	{"demarrage", "quick-start"},
	{"comptes", "accounts"},
	{"authentification", "authentication"},
	{"quotas", "quotas"},
	{"alertes", "alerts"},
	{"recherche", "search"},
	{"sources", "sources"},
	{"historique", "history"},
	{"erreurs", "errors"},
	{"cache", "caching"},
	{"suivre", "staying-in-step"},
	{"telechargements", "downloads"},
	{"agents", "agents"},
	{"changements", "changelog"},
	{"client-go", "go-client"},
	{"client-python", "python-client"},
	{"client-typescript", "typescript-client"},
	{"audit", "audit"},
	{"embeddings", "embeddings"},
	{"synchronisation", "synchronisation"},
	{"webhooks", "webhooks"},
	{"recepteurs", "receivers"},
}
