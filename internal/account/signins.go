package account

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/palmares-hq/palmares/internal/secrets"
)

// SignIns signs people in by e-mail, which is also how they sign up: an account is created when a
// link or a code is spent, not when it is asked for.
type SignIns struct {
	store   SignInStore
	keys    []signInKeys // of the current secret, then of those before it
	open    bool
	blocked func(email string) bool
	now     func() time.Time
}

// SignInsOptions configure SignIns.
type SignInsOptions struct {
	Store   SignInStore
	Secrets secrets.Ring            // tokens made with earlier secrets go on working
	Open    bool                    // PALMARES_SIGNUP=open: addresses without an account may sign up
	Blocked func(email string) bool // whether nobody may sign up with the address; nil blocks none
	Now     func() time.Time        // time.Now when nil
}

// NewSignIns returns the service of sign-ins.
func NewSignIns(o SignInsOptions) *SignIns {
	s := &SignIns{store: o.Store, keys: newSignInKeys(o.Secrets), open: o.Open, blocked: o.Blocked, now: o.Now}
	if s.blocked == nil {
		s.blocked = func(string) bool { return false }
	}
	if s.now == nil {
		s.now = time.Now
	}
	return s
}

// Open reports whether addresses without an account may sign up.
func (s *SignIns) Open() bool { return s.open }

// Ask asks for a sign-in mail to an address that ParseEmail has parsed, from a network address. The
// link and the code will work in browsers that have asked for the address. Dispatch and Mail decide
// later when a mail is sent, and whether: Ask takes the same time and gives the same answer for
// every address.
//
// Everybody may ask.
func (s *SignIns) Ask(ctx context.Context, email string, lang Language, browser string, from netip.Addr) error {
	if browser == "" {
		return errors.New("asking for a sign-in without the cookie of a browser")
	}
	in, k := s.newSignIn(email), s.keys[0]
	in.Language = lang
	in.CodeHash = k.codeHash(in.ID, k.code(in.ID))
	in.Browser = k.browserHash(browser)
	in.Recipient, in.Networks = k.recipient(email), k.networksOf(from)
	return s.store.Ask(ctx, in)
}

// Dispatch releases the mails whose turn it is: in turns between networks, and a limited number a
// second. Call it several times a second, on any number of nodes.
func (s *SignIns) Dispatch(ctx context.Context) (Dispatched, error) {
	return s.store.Dispatch(ctx, s.now())
}

// Waiting returns how many mails wait for their turn, and when the one that has waited longest was
// asked for.
func (s *SignIns) Waiting(ctx context.Context) (Waiting, time.Time, error) {
	return s.store.Waiting(ctx)
}

// Link returns the token of a link for the account of an address. It works in any browser, once,
// for SignInFor. Returns ErrNoAccount if there is no such account.
//
// Only the operator may make links. Returns ErrOperatorOnly otherwise.
func (s *SignIns) Link(ctx context.Context, by Actor, email string) (token string, err error) {
	if !by.IsOperator() {
		return "", ErrOperatorOnly
	}
	if email, err = ParseEmail(email); err != nil {
		return "", err
	}
	in := s.newSignIn(email)
	in.SentAt = in.CreatedAt
	if err := s.store.Link(ctx, by, in); err != nil {
		return "", err
	}
	return s.keys[0].token(in.ID), nil
}

func (s *SignIns) newSignIn(email string) SignIn {
	var id [16]byte
	rand.Read(id[:])                                // never fails
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // a random UUID, RFC 9562
	text := uuidText(id)
	return SignIn{ID: text, Email: email, TokenHash: HashOf(s.keys[0].token(text)), CreatedAt: s.now()}
}

// Tidy deletes old sign-ins and counts. It returns how many of the sign-ins still waited for their
// mail. Call it every hour.
func (s *SignIns) Tidy(ctx context.Context) (expired int, err error) {
	const batch = 10_000 // rows per transaction
	now := s.now()
	for {
		n, waiting, err := s.store.PruneSignIns(ctx, now.Add(-KeepSignIns), batch)
		expired += waiting
		if err != nil {
			return expired, err
		}
		if n < batch {
			return expired, s.store.PruneCounts(ctx, now.Add(-MailHour), now.Add(-max(CodeDay, SignUpDay)))
		}
	}
}

// Mail sends the mail of a sign-in, unless there is a reason not to, which is then the outcome. A
// repeated call sends a mail with the same ID.
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
		// Stored before the mail is sent, because the owner may use it before another statement could run.
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

// outcome returns the outcome of a mail by all rules but the count of the recipient's mails, which the
// store's Send checks.
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
