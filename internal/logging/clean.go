package logging

import (
	"net/netip"
	"strings"

	"github.com/palmares-hq/palmares/internal/text"
)

// Clean masks API keys in s, cuts it to limit characters and replaces unprintable characters, so that
// a client cannot forge a line of the log, whatever handler writes it.
func Clean(s string, limit int) string {
	s = MaskKeys(s)
	plain := len(s) <= limit
	for i := 0; plain && i < len(s); i++ {
		plain = s[i] >= ' ' && s[i] <= '~'
	}
	if plain {
		return s
	}
	var b strings.Builder
	b.Grow(min(len(s), limit))
	for _, r := range s {
		if limit == 0 {
			break
		}
		limit--
		b.WriteRune(text.Mark(r))
	}
	return b.String()
}

// AppendJSON appends Clean(s, limit) as a JSON string. It is fast when that is s itself, as it nearly
// always is.
func AppendJSON(b []byte, s string, limit int) []byte {
	start := len(b)
	b = append(append(append(b, '"'), s...), '"')
	plain := len(s) <= limit
	for i := 0; plain && i < len(s); i++ {
		c := s[i]
		plain = c >= ' ' && c <= '~' && c != '"' && c != '\\' && (c != 'p' || !strings.HasPrefix(s[i:], keyPrefix))
	}
	if plain {
		return b
	}
	b = append(b[:start], '"')
	// Clean leaves no control characters, so nothing else needs escaping.
	for _, c := range []byte(Clean(s, limit)) {
		if c == '"' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	return append(b, '"')
}

// Network returns the network of an address, /24 in IPv4 and /48 in IPv6: enough to tell where traffic
// comes from, but not who sent it. It returns "" for the zero Addr.
func Network(addr netip.Addr) string { return string(AppendNetwork(nil, addr)) }

// AppendNetwork appends Network(addr).
func AppendNetwork(b []byte, addr netip.Addr) []byte {
	addr = addr.Unmap()
	bits := 48
	if addr.Is4() {
		bits = 24
	}
	prefix, err := addr.Prefix(bits)
	if err != nil {
		return b
	}
	return prefix.AppendTo(b)
}

// keyPrefix begins every API key, and maskedKey replaces a key.
const (
	keyPrefix = "plm"
	maskedKey = "plm_***"
)

// MaskKeys masks everything in s that looks like an API key or the beginning of one. Clients put keys into
// paths and user agents by mistake, and more people read logs than may use the keys.
func MaskKeys(s string) string {
	start, end := findKey(s)
	if start < 0 {
		return s
	}
	var b strings.Builder
	for ; start >= 0; start, end = findKey(s) {
		b.WriteString(s[:start])
		b.WriteString(maskedKey)
		s = s[end:]
	}
	b.WriteString(s)
	return b.String()
}

// findKey returns where the first key in s begins and ends, or -1 if there is none. The underscore after
// keyPrefix may be percent-encoded, as some clients do in URLs.
func findKey(s string) (start, end int) {
	for from := 0; ; {
		i := strings.Index(s[from:], keyPrefix)
		if i < 0 {
			return -1, -1
		}
		start, end = from+i, from+i+len(keyPrefix)
		from = end
		switch rest := s[end:]; {
		case strings.HasPrefix(rest, "_"):
			end++
		case strings.HasPrefix(rest, "%5F"), strings.HasPrefix(rest, "%5f"):
			end += len("%5F")
		default:
			continue
		}
		for end < len(s) && inKey(s[end]) {
			end++
		}
		if s[start:end] != keyPrefix+"_" { // the prefix alone gives nothing away
			return start, end
		}
	}
}

func inKey(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '%' || c == '_'
}
