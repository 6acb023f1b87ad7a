package content

import (
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// checkPeriod warns of an unknown period: a price with one can be neither compared nor translated for English
// pages.
func (o object) checkPeriod(period string, pos position) {
	var names, words []string
	meant := map[string]string{}
	for _, p := range catalog.Periods() {
		if p.Name == period {
			return
		}
		names = append(names, p.Name)
		meant[p.Name] = p.Name
		words = append(append(words, p.Name), p.Also...)
		for _, word := range p.Also {
			meant[word] = p.Name
		}
	}
	near := meant[period]
	if near == "" {
		near = meant[closest(period, words)]
	}
	if near != "" {
		o.warn(pos, "unknown period %q: did you mean %q?", period, near)
		return
	}
	o.warn(pos, "unknown period %q: write one of those that are known, or leave it: %s", period, strings.Join(names, ", "))
}
