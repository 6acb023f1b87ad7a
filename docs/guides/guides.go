// Package guides holds the texts for those who call the API, in French and in English: the only
// source of the pages below /docs. Each language is written by itself, from the same facts; a test
// checks that their sections and their samples correspond.
//
// A guide begins with its title and one paragraph, which is its description. Every other heading
// has an anchor, {#like-this}, the same in both languages. Links to other guides name their files.
//
// A fenced block is a sample, and a test runs it. The words after its language say what it is:
//
//   - "file=NAME": it is saved under that name, for a later sample to run
//   - "output": it is what the sample before it prints. An ellipsis stands for what differs from run
//     to run: part of a line, or lines if it is alone on its own
//   - "shown": it is neither run nor printed by anything; another test compares it
//
// Between double braces stands what differs between installations: {{base}}, {{name}}, {{credit}}
// and the others that package site fills in.
package guides

import "embed"

// Files are the guides: fr/NAME.md and en/NAME.md.
//
//go:embed fr/*.md en/*.md
var Files embed.FS

// Names are those of the guides in the order in which to read them, French and English. They are in
// the address of the page.
var Names = [][2]string{
	{"demarrage", "quick-start"},
	{"authentification", "authentication"},
	{"quotas", "quotas"},
	{"erreurs", "errors"},
	{"recherche", "search"},
	{"sources", "sources"},
	{"cache", "caching"},
	{"telechargements", "downloads"},
	{"embeddings", "embeddings"},
	{"synchronisation", "synchronisation"},
	{"suivre", "staying-in-step"},
	{"agents", "agents"},
	{"webhooks", "webhooks"},
	{"recepteurs", "receivers"},
	{"comptes", "accounts"},
	{"changements", "changelog"},
}
