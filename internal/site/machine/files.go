package machine

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/web"
)

// Robots returns robots.txt. It allows everything, including the API: a program that reads data instead of pages costs
// less. For a preview, which is for its editor alone, it allows nothing.
func Robots(v *view.View) (*view.File, error) {
	if v.Site.Preview {
		return plain("User-agent: *\nDisallow: /\n"), nil
	}
	return plain("User-agent: *\nAllow: /\n\nSitemap: " + v.Base() + v.Path(address.Sitemap) + "\n"), nil
}

func plain(text string) *view.File { return &view.File{Type: view.PlainType, Body: []byte(text)} }

// securityDays is how long security.txt is valid. It must be less than a year (RFC 9116, section 2.5.5).
const securityDays = 180

// Security returns security.txt, which says where to report a vulnerability (RFC 9116). It changes daily, like every
// page that is cached with an edition. It is a 404 unless the operator's contact is an e-mail or https address.
func Security(v *view.View) (*view.File, error) {
	contact := v.Operator().Contact.Href
	if !strings.HasPrefix(contact, "mailto:") && !strings.HasPrefix(contact, "https://") {
		return nil, web.Errorf(http.StatusNotFound, "the operator of this site has named no contact")
	}
	b := &view.Lines{}
	b.Line("Contact: ", contact)
	b.Line("Expires: ", v.Figures.Today.Time().AddDate(0, 0, securityDays).Format(time.RFC3339))
	b.Line("Preferred-Languages: fr, en")
	b.Line("Canonical: ", v.Base(), v.Path(address.Security))
	return b.File(view.PlainType), nil
}

// maxNames is the largest size of the names for the search field, in bytes after compression.
const maxNames = 56 << 10

// Names returns the names and slugs that the search field suggests, the best ranked first, as many as fit. A browser
// loads them when somebody is about to type.
func Names(v *view.View) (*view.File, error) {
	const first = 4_000
	for most := first; ; most = most * 3 / 4 {
		body, err := names(v, most)
		if err != nil || compressed(body) <= maxNames {
			return &view.File{Type: "application/json", Body: body}, err
		}
	}
}

func names(v *view.View, most int) ([]byte, error) {
	tools := v.Catalog.Tools(catalog.ToolQuery{Paging: catalog.Paging{Page: 1, Limit: most}}).Items
	pairs := make([][2]string, len(tools))
	for i, t := range tools {
		pairs[i] = [2]string{t.Name, t.Slug}
	}
	body, err := json.Marshal(pairs)
	if err != nil {
		return nil, fmt.Errorf("writing the names of tools: %w", err)
	}
	return body, nil
}

// compressed returns the size of a text after compression.
func compressed(text []byte) int {
	var n counter
	w := gzip.NewWriter(&n)
	_, _ = w.Write(text) // a counter never fails
	_ = w.Close()
	return int(n)
}

// A counter counts what is written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// Texts returns the sentences of the files.
func Texts() layout.Texts {
	return layout.Join(feedTexts, endingTexts, dcatTexts, badgeTexts, cardTexts, llmsTexts)
}
