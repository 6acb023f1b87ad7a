package page

import (
	"net/http"

	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/web"
)

// The fields that every form has.
const (
	tokenField = "jeton"
	// ActionField is the field that says which action of its page a form asks for.
	ActionField = "action"
)

// signOutAction is the action of the form that signs out, on every page with a session.
const signOutAction = "sign-out"

// maxForm is the size limit of a form in bytes.
const maxForm = 64 << 10

// act checks the token of a form and calls the handler of its action.
func (s *Server) act(x *exchange) (*Answer, error) {
	if !s.tokens.validForm(x.Form.Get(tokenField), x.tokenCookie()) {
		return nil, web.Errorf(http.StatusForbidden, "the form is not one that this browser was given")
	}
	action := x.Form.Get(ActionField)
	if x.Session != "" && action == signOutAction {
		return &Answer{Redirect: SignInPath(x.Text.Language, "") + "?" + DoneParam + "=signed-out", SignOut: true}, nil
	}
	if err := s.countForm(x); err != nil {
		return nil, err
	}
	rt, ok := x.page.actions[action]
	switch {
	case !ok:
		return nil, web.Errorf(http.StatusBadRequest, "the form asks for nothing that there is")
	case rt.Access == Outside:
		return s.waitOutside(x, rt.Handle)
	default:
		return rt.Handle(x.Request)
	}
}

// countForm counts a form sent in a session, and returns a 429 once the session has reached FormLimit.
func (s *Server) countForm(x *exchange) error {
	if x.Session == "" || s.o.Limits.Allow(x.ctx, FormLimit, x.Session) {
		return nil
	}
	met := &limit.ReachedError{Limit: FormLimit, Until: s.o.Limits.End(x.ctx, FormLimit, x.Session)}
	s.o.Limited(met.Name)
	e := web.Wrap(http.StatusTooManyRequests, "that was done too often", met)
	e.Header = http.Header{"Retry-After": {retryAfter(met, s.o.Now())}}
	return e
}
