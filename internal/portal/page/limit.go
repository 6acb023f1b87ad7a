package page

import (
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/palmares-hq/palmares/internal/limit"
)

// FormLimit is how many forms a session may send. Nobody fills in one every twelve seconds for an hour, but a
// program that has got hold of a session could send thousands, each of which writes to the database.
var FormLimit = limit.Limit{Name: "forms", Most: 300, Within: time.Hour}

// Limit handles the error of a limit that was met: it calls show with a sentence that says so, and returns the
// page that show makes, as a 429. It returns any other error unchanged.
func (r *Request) Limit(err error, show func(sentence string) (*Answer, error)) (*Answer, error) {
	met, ok := errors.AsType[*limit.ReachedError](err)
	if !ok {
		return nil, err
	}
	a, err := show(r.limitText(met))
	if err != nil {
		return nil, err
	}
	a.Limit = met
	return a, nil
}

// limitText says that a limit is met, and until when.
func (r *Request) limitText(met *limit.ReachedError) string {
	return r.Text.Must("limit."+met.Name, r.Text.Integer(met.Most), r.Second(met.Until))
}

// retryAfter returns the Retry-After of a limit: the seconds until it ends, rounded up, and at least 1.
func retryAfter(met *limit.ReachedError, now time.Time) string {
	left := math.Ceil(met.Until.Sub(now).Seconds())
	return strconv.Itoa(max(1, int(left)))
}
