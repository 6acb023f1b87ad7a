package content

import (
	"errors"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// measure reads a number from 0 to 10. With overZero it refuses 0: a score of zero means "not scored" in the
// averages.
func (o object) measure(name string, overZero bool) catalog.Measure {
	f, ok := o.get(name)
	if !ok {
		return catalog.Measure{}
	}
	s, ok := o.plainScalar(f, "a number", "8.5")
	if !ok {
		return catalog.Measure{}
	}
	scale := "from 0 to 10"
	if overZero {
		scale = "over 0 and up to 10"
	}
	m, err := catalog.ParseMeasure(s)
	switch {
	case errors.Is(err, catalog.ErrDecimals):
		o.fault(f.value.pos, "%s %s has more than two decimals: write two at most, such as 8.25", name, s)
	case errors.Is(err, catalog.ErrScale), err == nil && overZero && m.Hundredths == 0:
		o.fault(f.value.pos, "%s %s is off the scale: write a number %s", name, s, scale)
	case err != nil && isDecimalComma(s):
		o.fault(f.value.pos, "%s %s has a decimal comma: write %s", name, s, strings.Replace(s, ",", ".", 1))
	case err != nil, len(s) > 1 && s[0] == '0' && s[1] != '.':
		o.fault(f.value.pos, "%s %q is not a plain number: write digits and at most two decimals, such as 8.5", name, s)
	default:
		return m
	}
	return catalog.Measure{}
}

func isDecimalComma(s string) bool {
	_, err := catalog.ParseMeasure(strings.Replace(s, ",", ".", 1))
	return err == nil && strings.Count(s, ",") == 1
}
