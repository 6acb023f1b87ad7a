package negotiate

import "strings"

// ETag returns the strong entity tag of a body in this encoding, compressed at level l. opaque
// identifies the uncompressed body. The tags differ between encodings and levels because the bytes do.
func (e Encoding) ETag(opaque string, l Level) string { return `"` + opaque + e.suffix(l) + `"` }

func (e Encoding) suffix(l Level) string {
	switch {
	case e == Gzip && l == Fast:
		return "-gzip-fast"
	case e == Gzip:
		return "-gzip"
	case e == Zstd:
		return "-zstd"
	default:
		return ""
	}
}

// MatchETag reports whether an If-None-Match header, given as its lines, names the entity tag of
// the representation that would be sent. The tags of its other encodings do not count: a cache
// that holds only those bytes could not use a 304. Comparison is weak (RFC 9110, section 13.1.2),
// as proxies may have weakened a tag. A list is read up to its first fault; "*" names no tag.
func MatchETag(ifNoneMatch []string, etag string) bool {
	for _, list := range ifNoneMatch {
		for {
			tag, rest, ok := nextETag(list)
			if !ok {
				break
			}
			if tag == etag {
				return true
			}
			list = rest
		}
	}
	return false
}

// MatchAnyETag reports whether an If-None-Match header is "*", which any representation matches.
func MatchAnyETag(ifNoneMatch []string) bool {
	return len(ifNoneMatch) == 1 && strings.Trim(ifNoneMatch[0], " \t") == "*"
}

// nextETag returns the first entity tag of a list, without its W/, and the rest of the list. Tags may
// contain commas, so the list cannot simply be split.
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
			return list[:i+1], rest, rest == "" || rest[0] == ','
		case c <= ' ' || c == 0x7f:
			return "", "", false
		}
	}
	return "", "", false
}
