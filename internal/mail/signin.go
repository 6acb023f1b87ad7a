package mail

import "time"

// A SignInMail is what the message of a sign-in says.
type SignInMail struct {
	Link  string
	Code  string    // six digits; "" where too many wrong ones were typed
	Until time.Time // when both expire
	Last  bool      // no other is sent until then
}

// SignIn is the message by which somebody signs in: a link for the browser that asked, and a code
// of six digits to type into it. The code is not in the subject: that is shown on locked screens
// and written into the logs of mail servers.
func SignIn(h Header, m SignInMail) Message {
	d := h.draft("sign-in.subject", h.Service.name())
	d.text("sign-in.open")
	d.button("sign-in.button", m.Link)
	with := "sign-in.link."
	if m.Code != "" {
		with = "sign-in.code."
	}
	d.text(with + "use")
	if m.Code != "" {
		d.add(block{Code: m.typed()})
	}
	if m.Last {
		d.text(with+"last", d.clock(m.Until))
	} else {
		d.text(with+"until", d.clock(m.Until))
	}
	d.small(with + "not-you")
	return d.message()
}

// typed is the code as it is easily typed.
func (m SignInMail) typed() string {
	if len(m.Code) == 6 {
		return m.Code[:3] + " " + m.Code[3:]
	}
	return m.Code
}
