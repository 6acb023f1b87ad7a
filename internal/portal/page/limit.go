package page

import (
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/palmares-hq/palmares/internal/limit"
)

// FormLimit is how many forms a session may send. Nobody fills in one every twelve seconds for an hour;
// a program that acts for a stranger could send thousands, each of which writes to the database.
var FormLimit = limit.Limit{Name: "forms", Most: 300, Within: time.Hour}

// Limit shows at a part of a page that a limit is met; show makes the page with that sentence. Other
// errors pass.
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

// retryAfter is how many seconds a limit is still met.
func retryAfter(met *limit.ReachedError, now time.Time) string {
	left := math.Ceil(met.Until.Sub(now).Seconds())
	return strconv.Itoa(max(1, int(left)))
}
