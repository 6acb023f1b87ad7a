package negotiate

import "strings"

// An Encoding is a content coding that the service can answer in.
type Encoding uint8

// The encodings, the preferred one last.
const (
	Identity Encoding = iota
	Gzip
	Zstd
)

// String returns the coding's name in Content-Encoding. The header is left out for Identity.
func (e Encoding) String() string {
	switch e {
	case Gzip:
		return "gzip"
	case Zstd:
		return "zstd"
	default:
		return "identity"
	}
}

// Accepted says which encodings a client accepts. The zero value accepts only identity, and is used for
// a client that sends no Accept-Encoding.
type Accepted struct {
	weights [Zstd + 1]int16 // in thousandths
	stated  bool            // the client sent Accept-Encoding
}

// ParseAccepted parses an Accept-Encoding header (RFC 9110, section 12.5.3), given as its lines.
// Codings that are not named have the weight of *, if there is one; identity is accepted unless it
// is refused. Malformed elements are ignored.
func ParseAccepted(lines []string) Accepted {
	const unset = -1
	weights := [...]int16{Identity: unset, Gzip: unset, Zstd: unset}
	others := int16(unset) // the weight of *
	for _, rest := range lines {
		for rest != "" {
			var element string
			element, rest, _ = strings.Cut(rest, ",")
			coding, weight, ok := parseCoding(element)
			switch {
			case !ok:
			case strings.EqualFold(coding, "gzip"), strings.EqualFold(coding, "x-gzip"):
				weights[Gzip] = weight
			case strings.EqualFold(coding, "zstd"):
				weights[Zstd] = weight
			case strings.EqualFold(coding, "identity"):
				weights[Identity] = weight
			case coding == "*":
				others = weight
			}
		}
	}
	for i, weight := range weights {
		if weight == unset {
			weights[i] = others
		}
	}
	return Accepted{weights: weights, stated: true}
}

// Best returns the encoding with the highest weight; among equals zstd comes before gzip, and gzip
// before identity. It returns Identity when nothing fits.
func (a Accepted) Best() Encoding {
	best, bestWeight := Identity, int16(0)
	for i, weight := range a.weights {
		if weight > 0 && weight >= bestWeight {
			best, bestWeight = Encoding(i), weight
		}
	}
	return best
}

// Allows reports whether the client accepts an encoding.
func (a Accepted) Allows(e Encoding) bool {
	if e == Identity {
		return !a.stated || a.weights[Identity] != 0 // accepted unless refused
	}
	return a.weights[e] > 0
}

// Without returns a copy of a that does not accept e, for a response that is not available in e.
func (a Accepted) Without(e Encoding) Accepted {
	a.weights[e] = 0
	return a
}

// parseCoding parses one element, such as "gzip" or "gzip;q=0.5".
func parseCoding(element string) (coding string, weight int16, ok bool) {
	const ows = " \t"
	coding, parameter, weighted := strings.Cut(element, ";")
	coding = strings.Trim(coding, ows)
	if !weighted {
		return coding, 1000, coding != ""
	}
	parameter = strings.Trim(parameter, ows)
	if len(parameter) < 3 || parameter[0]|0x20 != 'q' || parameter[1] != '=' {
		return "", 0, false
	}
	weight, ok = parseWeight(parameter[2:])
	return coding, weight, ok
}

// parseWeight parses a qvalue, 0 to 1 with at most three decimals, and returns it in thousandths.
func parseWeight(s string) (int16, bool) {
	if len(s) > len("0.000") || s[0] != '0' && s[0] != '1' || len(s) > 1 && s[1] != '.' {
		return 0, false
	}
	weight, unit := int16(s[0]-'0')*1000, int16(100)
	for i := 2; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		weight += int16(s[i]-'0') * unit
		unit /= 10
	}
	return weight, weight <= 1000
}
