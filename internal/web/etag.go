package web

import "strings"

// MatchETag reports whether an If-None-Match header, given as its lines, names
// what opaque names, in whichever encoding: a client that has the gzip bytes has
// the content, so 304 is right whatever it accepts now. Comparison is weak (RFC
// 9110, section 13.1.2), as proxies may have weakened a tag. A list is read up to
// its first fault.
func MatchETag(ifNoneMatch []string, opaque string) bool {
	if len(ifNoneMatch) == 1 && strings.Trim(ifNoneMatch[0], " \t") == "*" {
		return true
	}
	if opaque == "" {
		return false
	}
	for _, list := range ifNoneMatch {
		for {
			tag, rest, ok := nextETag(list)
			if !ok {
				break
			}
			if sameOpaque(tag, opaque) {
				return true
			}
			list = rest
		}
	}
	return false
}

func sameOpaque(tag, opaque string) bool {
	suffix, ok := strings.CutPrefix(tag, opaque)
	return ok && (suffix == "" || suffix == Gzip.suffix() || suffix == Zstd.suffix())
}

// nextETag takes the next entity tag off a list, without its quotes and its W/.
// Tags may contain commas, so the list cannot simply be split.
func nextETag(list string) (tag, rest string, ok bool) {
	list = strings.TrimLeft(list, " \t,")
	list = strings.TrimPrefix(list, "W/")
	if list == "" || list[0] != '"' {
		return "", "", false
	}
	for i := 1; i < len(list); i++ {
		switch c := list[i]; {
		case c == '"':
			rest = strings.TrimLeft(list[i+1:], " \t")
			return list[1:i], rest, rest == "" || rest[0] == ','
		case c <= ' ' || c == 0x7f:
			return "", "", false
		}
	}
	return "", "", false
}
