package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// minEventsKeep is the minimum of PALMARES_EVENTS_KEEP: deliveries can be shown and replayed for 30
// days, and need their event.
const minEventsKeep = Days(31 * day)

// Days is a duration that may be written in days, such as 400d, or in hours, such as 9600h.
type Days time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Days) UnmarshalText(text []byte) error {
	if n, ok := strings.CutSuffix(string(text), "d"); ok {
		days, err := strconv.ParseInt(n, 10, 64)
		if most := int64(1<<63-1) / int64(day); err == nil && days >= -most && days <= most {
			*d = Days(days) * Days(day)
			return nil
		}
	} else if parsed, err := time.ParseDuration(string(text)); err == nil {
		*d = Days(parsed)
		return nil
	}
	return fmt.Errorf("%q is no duration such as 400d or 9600h", text)
}

// String formats whole days as days.
func (d Days) String() string {
	if whole := time.Duration(d) / day; time.Duration(d)%day == 0 {
		return strconv.FormatInt(int64(whole), 10) + "d"
	}
	return time.Duration(d).String()
}
