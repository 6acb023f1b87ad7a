package portal

import (
	"strings"
	"time"
)

// sayings are the sentences of package webhook that have a value in them. What follows the beginning
// goes into the text, as a time where it is one.
var sayings = []struct{ begin, text string }{
	{"every attempt has failed since ", "saying.failing"},
	{"the receiver answered 410 Gone at ", "saying.gone"},
	{"the receiver answered ", "saying.answered"},
	{"timed out after ", "saying.timeout"},
	{"its secret cannot be opened: ", "saying.unreadable"},
}

// say gives in the language of the page what package webhook writes down, in English, about
// endpoints and attempts. What somebody else wrote, such as the operator, stays as it is.
func (r *request) say(s string) string {
	if r.Has("said." + s) {
		return r.Must("said." + s)
	}
	for _, known := range sayings {
		rest, found := strings.CutPrefix(s, known.begin)
		if !found {
			continue
		}
		if t, err := time.Parse(time.RFC3339, rest); err == nil {
			rest = r.moment(t)
		}
		if text := r.Must(known.text); !strings.Contains(text, "%s") {
			return text
		}
		return r.Must(known.text, rest)
	}
	return s
}
