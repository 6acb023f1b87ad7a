package account

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"errors"
	"strings"
	"time"
	"unicode"
)

// SignIns signs people in by e-mail, which is also how they sign up. An account is created when a
// link or a code is spent, not when it is asked for.
type SignIns struct {
	store   SignInStore
	keys    []signInKeys // of the current secret, then of the previous one
	open    bool
	blocked func(email string) bool
	now     func() time.Time
}

// SignInsOptions configure SignIns.
type SignInsOptions struct {
	Store    SignInStore
	Secret   []byte                  // PALMARES_SECRET
	Previous []byte                  // PALMARES_SECRET_PREVIOUS, or nil: what it made goes on working
	Open     bool                    // PALMARES_SIGNUP=open: addresses without an account may sign up
	Blocked  func(email string) bool // whether nobody may sign up with the address; nil blocks none
	Now      func() time.Time        // time.Now when nil
}

// NewSignIns returns the service of sign-ins.
func NewSignIns(o SignInsOptions) *SignIns {
	s := &SignIns{store: o.Store, open: o.Open, blocked: o.Blocked, now: o.Now}
	s.keys = append(s.keys, newSignInKeys(o.Secret))
	if len(o.Previous) > 0 {
		s.keys = append(s.keys, newSignInKeys(o.Previous))
	}
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

// Ask asks for a sign-in mail to an address that ParseEmail has parsed. The link will work in the
// browser with that cookie alone, and the code as well. Whether a mail is sent is decided later, by
// Mail: Ask takes the same time and gives the same answer for every address. limited says that too
// many mails were sent to the address.
//
// Everybody may ask.
func (s *SignIns) Ask(ctx context.Context, email string, lang Language, browser string, limited bool) error {
	if browser == "" {
		return errors.New("asking for a sign-in without the cookie of a browser")
	}
	in := s.newSignIn(email)
	in.Language, in.Limited = lang, limited
	in.CodeHash = s.keys[0].codeHash(in.ID, s.keys[0].code(in.ID))
	in.Browser = s.keys[0].browserHash(browser)
	return s.store.Ask(ctx, in)
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
		if err := s.store.MarkSent(ctx, in.ID, s.now()); err != nil {
			return "", err
		}
		return MailSent, send(ctx, SignInMail{
			ID: in.ID, To: in.Email, Language: in.Language, Token: token, Code: k.code(in.ID),
			Until: in.CreatedAt.Add(SignInFor),
		})
	}
	return "", errors.New("the sign-in was asked for with another PALMARES_SECRET than that of this node")
}

// outcome returns what becomes of a mail, as far as the rules go.
func (s *SignIns) outcome(in SignIn, known bool) MailOutcome {
	switch {
	case !in.SpentAt.IsZero():
		return MailGone
	case !in.CreatedAt.Add(SignInFor).After(s.now()):
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

// RedeemLink spends the token of a link in the browser with that cookie and returns the account,
// which is created if there is none. The browser must be the one that asked, unless the operator
// made the link. Returns ErrNoSignIn if the token signs nobody in.
//
// Everybody may try.
func (s *SignIns) RedeemLink(ctx context.Context, token, browser string) (Account, error) {
	hashes := s.browserHashes(browser)
	now := s.now()
	claim := Claim{Token: HashOf(token), After: now.Add(-SignInFor)}
	return s.store.Redeem(ctx, claim, now, func(found []SignIn) Redemption {
		for _, in := range found {
			if in.byOperator() || contains(hashes, in.Browser) {
				return s.spend(in)
			}
		}
		return Redemption{Err: ErrNoSignIn}
	})
}

// RedeemCode spends a code in the browser that asked for it and returns the account, which is
// created if there is none. A wrong code counts against all sign-ins that the browser waits for. It
// is a *WrongCodeError while there are tries left, and ErrNoSignIn after that. Spaces in the code
// are ignored.
//
// Everybody may try.
func (s *SignIns) RedeemCode(ctx context.Context, code, browser string) (Account, error) {
	code = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, code)
	now := s.now()
	claim := Claim{Browsers: s.browserHashes(browser), After: now.Add(-SignInFor)}
	return s.store.Redeem(ctx, claim, now, func(found []SignIn) Redemption {
		missed, left := []string{}, 0
		for _, in := range found {
			for _, k := range s.keys {
				if in.CodeHash != nil && hmac.Equal(k.codeHash(in.ID, code), in.CodeHash) {
					return s.spend(in)
				}
			}
			missed, left = append(missed, in.ID), max(left, CodeTries-in.Tries-1)
		}
		if left == 0 {
			return Redemption{Missed: missed, Err: ErrNoSignIn}
		}
		return Redemption{Missed: missed, Err: &WrongCodeError{Left: left}}
	})
}

// spend is the redemption of a sign-in. Its account is created where a mail would have been sent to
// it now, and never for a link of the operator, which is for an account that exists.
func (s *SignIns) spend(in SignIn) Redemption {
	create := s.open && !s.blocked(in.Email) && !in.byOperator()
	return Redemption{Spend: in.ID, Create: create}
}

func (s *SignIns) browserHashes(cookie string) [][]byte {
	hashes := [][]byte{}
	for _, k := range s.keys {
		hashes = append(hashes, k.browserHash(cookie))
	}
	return hashes
}

func contains(hashes [][]byte, hash []byte) bool {
	for _, h := range hashes {
		if hmac.Equal(h, hash) {
			return true
		}
	}
	return false
}

// Tidy deletes old sign-ins. Call it every hour.
func (s *SignIns) Tidy(ctx context.Context) error {
	const batch = 10_000 // rows per transaction
	for {
		n, err := s.store.PruneSignIns(ctx, s.now().Add(-KeepSignIns), batch)
		if err != nil || n < batch {
			return err
		}
	}
}
