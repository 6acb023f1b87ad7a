package portal

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// formLimit is how many forms a session may send. Nobody fills in one every twelve seconds for an hour;
// a program that acts for a stranger could send thousands, each of which writes to the database.
var formLimit = account.ActLimit{Name: "forms", Most: 300, Within: time.Hour}

// LimitNames are the names of the limits that Options.Limited counts.
func LimitNames() []string {
	return []string{
		formLimit.Name, account.KeyLimit.Name, webhook.SendLimit.Name, webhook.SendHostLimit.Name, webhook.ChallengeLimit.Name,
	}
}

// countForm counts a form of a session, or says that it has sent too many.
func (r *request) countForm() error {
	o := r.portal.o
	if r.session == "" || o.Limits.Allow(r.ctx, formLimit.Name, r.session, formLimit.Most) {
		return nil
	}
	until := o.Limits.End(r.ctx, formLimit.Name, r.session, formLimit.Most)
	_, e := r.limited(&account.LimitError{ActLimit: formLimit, Until: until})
	return e
}

// limited returns the sentence about a limit that is met, and the same as an error that is a page of
// its own. It counts it.
func (r *request) limited(e *account.LimitError) (text string, page *web.Error) {
	r.portal.o.Limited(e.Name)
	page = web.Wrap(http.StatusTooManyRequests, "that was done too often", e)
	page.Header = r.retryAfter(e)
	return r.limitText(e), page
}

// limitText says that a limit is met, and until when.
func (r *request) limitText(e *account.LimitError) string {
	return r.Must("limit."+e.Name, r.Integer(e.Most), r.moment(e.Until))
}

// retryAfter is the header that says when to come back.
func (r *request) retryAfter(e *account.LimitError) http.Header {
	left := math.Ceil(e.Until.Sub(r.portal.o.Now()).Seconds())
	return http.Header{"Retry-After": {strconv.Itoa(max(1, int(left)))}}
}

// limit shows at a part of a page that a limit is met; show makes the page. Other errors pass.
func (r *request) limit(err error, show func(text string) (*answer, error)) (*answer, error) {
	e, ok := errors.AsType[*account.LimitError](err)
	if !ok {
		return nil, err
	}
	text, page := r.limited(e)
	a, err := show(text)
	if err != nil {
		return nil, err
	}
	a.status = page.Status
	a.headers = []web.Field{web.NewField("Retry-After", page.Header.Get("Retry-After"))}
	return a, nil
}
