package account

import (
	"context"
	"errors"
	"fmt"
)

// Mail sends the mail of a sign-in, unless there is a reason not to, which is then the outcome. It
// may be called again: the mail has the same ID.
//
// The service itself calls it, from a job.
func (s *SignIns) Mail(
	ctx context.Context, id string, send func(context.Context, SignInMail) error,
) (MailOutcome, error) {
	in, known, err := s.store.SignIn(ctx, id)
	if errors.Is(err, ErrNoSignIn) {
		return MailGone, nil
	}
	if err != nil {
		return "", err
	}
	if outcome := s.outcome(in, known); outcome != MailSent {
		return outcome, nil
	}
	for _, k := range s.keys {
		token := k.token(in.ID)
		if HashOf(token) != in.TokenHash {
			continue
		}
		// First, because the owner may be quicker than the next statement.
		permit, err := s.store.Send(ctx, MailClaim{
			ID: in.ID, Email: in.Email, Known: known,
			Recipient: s.keys[0].recipient(in.Email), Address: s.keys[0].address(in.Email),
		}, s.now())
		switch {
		case err != nil:
			return "", err
		case permit.Limited:
			return MailLimited, nil
		}
		m := SignInMail{
			ID: in.ID, To: in.Email, Language: in.Language, Token: token, Code: k.code(in.ID),
			Until: permit.ExpiresAt, Last: permit.Last,
		}
		if permit.NoCode {
			m.Code = ""
		}
		return MailSent, send(ctx, m)
	}
	return "", fmt.Errorf("the token of a sign-in: %w", ErrOtherSecret)
}

// outcome returns what becomes of a mail, as far as the rules go.
func (s *SignIns) outcome(in SignIn, known bool) MailOutcome {
	from := in.CreatedAt
	if in.Released.After(from) { // it waited for its turn
		from = in.Released
	}
	switch {
	case !in.SpentAt.IsZero():
		return MailGone
	case !from.Add(SignInFor).After(s.now()):
		return MailExpired
	case in.Limited:
		return MailLimited
	case !known && s.blocked(in.Email):
		return MailBlocked
	case !known && !s.open:
		return MailClosed
	}
	return MailSent
}
