package verify

import (
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// wanted returns a function that reports whether a text states the fact. If there is nothing to search for, the
// function is nil and reason says why.
func wanted(f catalog.FieldFact) (says func(text string) bool, reason string) {
	if f.Text != "" {
		text := fold(f.Text)
		return func(s string) bool { return saysText(strings.ReplaceAll(s, "\n", " "), text) }, ""
	}
	switch f.Field {
	case catalog.PriceFact, catalog.NextPriceFact:
		price, ok := catalog.ParsePrice(f.Value)
		switch {
		case !ok:
			return nil, "its price has no amount to look for: write how the page says it as text"
		case price.Cents == 0:
			return saysFree, ""
		}
		return func(s string) bool { return saysPrice(s, price.Cents) }, ""
	case catalog.ScoreFact:
		return func(s string) bool { return saysNumber(s, f.Value) }, ""
	case catalog.DomainFact:
		return func(s string) bool { return saysDomain(s, strings.ToLower(f.Value)) }, ""
	case catalog.RetiredAtFact:
		return saysDate(catalog.Date(f.Value)), ""
	}
	return nil, "nothing is known of how pages say it"
}

// saysText reports whether a text contains a part. A number at either end of the part must not belong to a
// longer number in the text: $20 is not in $200.
func saysText(text, part string) bool {
	for from := 0; part != ""; {
		i := strings.Index(text[from:], part)
		if i < 0 {
			return false
		}
		i += from
		from = i + 1
		end := i + len(part)
		begins := isDigit(part[0]) && i > 0 && (isDigit(text[i-1]) || i > 1 && decimal(text[i-1]) && isDigit(text[i-2]))
		goesOn := isDigit(part[len(part)-1]) && end < len(text) &&
			(isDigit(text[end]) || end+1 < len(text) && decimal(text[end]) && isDigit(text[end+1]))
		if !begins && !goesOn {
			return true
		}
	}
	return false
}

func decimal(c byte) bool { return c == '.' || c == ',' }

// saysDomain reports whether a text contains a host name or a subdomain of it.
func saysDomain(text, domain string) bool {
	inName := func(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'z' || c == '-' || c >= 0x80 }
	for from := 0; ; {
		i := strings.Index(text[from:], domain)
		if i < 0 {
			return false
		}
		i += from
		from = i + 1
		rest := text[i+len(domain):]
		longer := rest != "" && (inName(rest[0]) || rest[0] == '.' && len(rest) > 1 && inName(rest[1]))
		if !longer && (i == 0 || !inName(text[i-1])) {
			return true
		}
	}
}

// below reports whether host is the domain or a subdomain of it.
func below(host, domain string) bool {
	return host == domain || strings.HasSuffix(host, "."+domain)
}
