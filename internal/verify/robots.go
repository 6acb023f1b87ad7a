package verify

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// product is our name in the User-agent lines of robots.txt.
const product = "palmares-verify"

// robots are the rules of a robots.txt (RFC 9309) that apply to us.
type robots struct {
	rules []rule
	delay float64 // seconds between two requests; 0 where nothing is said
}

// A rule allows or forbids the paths that match its pattern: * matches any text, and $ at the end the end of
// the path.
type rule struct {
	pattern string
	allow   bool
}

// A group holds the rules for one program, or for all others.
type group struct {
	named bool // the group exists, possibly without rules
	robots
}

// parseRobots parses a robots.txt and returns the rules for us, or those for all programs if none name us.
// Lines it does not understand are skipped and do not end a group.
func parseRobots(data []byte) robots {
	var ours, all group
	var toUs, toAll, begun bool // whom the current group is for; whether its rules have begun
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	lines := bytes.FieldsFunc(data, func(r rune) bool { return r == '\n' || r == '\r' })
	for _, line := range lines {
		text, _, _ := strings.Cut(string(line), "#")
		key, value, found := strings.Cut(text, ":")
		if !found {
			continue
		}
		value = strings.TrimSpace(value)
		to := func(add func(*robots)) {
			if toUs {
				add(&ours.robots)
			}
			if toAll {
				add(&all.robots)
			}
		}
		switch key = strings.ToLower(strings.TrimSpace(key)); key {
		case "user-agent":
			if begun {
				toUs, toAll, begun = false, false, false
			}
			if name := productOf(value); name == product {
				toUs, ours.named = true, true
			} else if strings.HasPrefix(value, "*") {
				toAll = true
			}
		case "allow", "disallow":
			begun = true
			if value != "" {
				to(func(r *robots) { r.rules = append(r.rules, rule{normalPattern(value), key == "allow"}) })
			}
		case "crawl-delay":
			if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 && !math.IsInf(seconds, 0) {
				to(func(r *robots) { r.delay = max(r.delay, seconds) })
			}
		}
	}
	if ours.named {
		return ours.robots
	}
	return all.robots
}

// productOf returns the program's name in a User-agent value, without a version.
func productOf(value string) string {
	value = strings.ToLower(value)
	end := strings.IndexFunc(value, func(r rune) bool { return (r < 'a' || r > 'z') && r != '-' && r != '_' })
	if end >= 0 {
		value = value[:end]
	}
	return value
}

// allows reports whether a path, with its query, may be fetched. The longest matching pattern decides; between
// two of equal length, the one that allows.
func (r robots) allows(path string) bool {
	path = normalPath(path)
	longest, allowed := -1, true
	for _, rule := range r.rules {
		n := len(rule.pattern)
		if n < longest || n == longest && (allowed || !rule.allow) || !matches(path, rule.pattern) {
			continue
		}
		longest, allowed = n, rule.allow
	}
	return allowed
}

// matches reports whether the beginning of a path, or all of it if the pattern ends with $, matches the
// pattern.
func matches(path, pattern string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(path, parts[0])
	if !ok {
		return false
	}
	for i, part := range parts[1:] {
		if whole && i == len(parts)-2 { // the last
			return strings.HasSuffix(rest, part)
		}
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return !whole || rest == ""
}

// normalPattern normalizes a pattern as normalPath does a path. A $ that is not at the end is an ordinary
// character.
func normalPattern(s string) string {
	s, end := strings.CutSuffix(s, "$")
	s = normal(s, "$")
	if end {
		s += "$"
	}
	return s
}

// normalPath normalizes the escapes of a path. It escapes * and $, which have a meaning in patterns.
func normalPath(s string) string { return normal(s, "$*") }

// normal percent-encodes bytes outside ASCII and the characters in escaped, and decodes the escapes of letters,
// digits and the marks -._~, which need none.
func normal(s, escaped string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c, coded := s[i], false
		if c == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				c, coded = byte(n), true
				i += 2
			}
		}
		plain := isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("-._~", c) >= 0
		if c >= 0x80 || coded && !plain || !coded && strings.IndexByte(escaped, c) >= 0 {
			b.WriteByte('%')
			b.WriteByte("0123456789ABCDEF"[c>>4])
			b.WriteByte("0123456789ABCDEF"[c&15])
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
