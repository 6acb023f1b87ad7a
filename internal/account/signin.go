package account

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"
)

const (
	// SignInFor is how long the link and the code of a sign-in work.
	SignInFor = 10 * time.Minute
	// KeepSignIns is how long sign-ins are kept, spent or not.
	KeepSignIns = 24 * time.Hour

	// CodeTries is how many wrong codes end a sign-in.
	CodeTries = 5
)

// A SignIn is a request for a sign-in mail, or a link that the operator made, as it is stored.
type SignIn struct {
	ID        string // a UUID
	Email     string
	Language  Language
	TokenHash Hash
	CodeHash  []byte // nil for a link of the operator, which has no code
	Browser   []byte // the hash of the asking browser's cookie; nil for a link of the operator
	Limited   bool   // too many mails were sent to the address: none is sent
	Tries     int    // wrong codes
	CreatedAt time.Time
	SentAt    time.Time // zero: no mail was sent, and the token and the code are worth nothing
	SpentAt   time.Time // zero until it is spent
}

// byOperator reports whether the operator made the sign-in.
func (s SignIn) byOperator() bool { return s.Browser == nil }

var (
	// ErrNoSignIn is returned for whatever signs nobody in. It does not say why: the token or the
	// code is unknown, spent or expired, is of another browser, or was never sent.
	ErrNoSignIn = errors.New("this link or code does not sign in: it was used, is too old or is not of this browser")
	// ErrWrongCode is what a *WrongCodeError is.
	ErrWrongCode = errors.New("the code is wrong")
)

// A WrongCodeError says that a code is wrong and another may be tried. It is an ErrWrongCode.
type WrongCodeError struct {
	Left int // how many more, one at least
}

func (e *WrongCodeError) Error() string {
	return fmt.Sprintf("%v; %d tries are left", ErrWrongCode, e.Left)
}

// Is implements errors.Is.
func (e *WrongCodeError) Is(target error) bool { return target == ErrWrongCode }

// A SignInMail is what the mail of a sign-in says. Printing it shows its id alone.
type SignInMail struct {
	ID       string // of the sign-in: a retry has the same
	To       string `json:"-"`
	Language Language
	Token    string    `json:"-"` // of the link
	Code     string    `json:"-"`
	Until    time.Time // when both expire
}

// Format implements fmt.Formatter, for all verbs.
func (m SignInMail) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "sign-in "+m.ID) }

// LogValue returns the id, for slog.
func (m SignInMail) LogValue() slog.Value { return slog.StringValue("sign-in " + m.ID) }

// A MailOutcome is what became of a sign-in's mail.
type MailOutcome string

// The outcomes.
const (
	MailSent    MailOutcome = "sent"
	MailLimited MailOutcome = "limited" // too many were sent to the address
	MailBlocked MailOutcome = "blocked" // nobody may sign up with the address
	MailClosed  MailOutcome = "closed"  // nobody may sign up
	MailExpired MailOutcome = "expired" // it would come too late
	MailGone    MailOutcome = "gone"    // the sign-in was deleted or spent
)

// MailQueue is River's queue of mails that somebody waits for.
const MailQueue = "mail"

// SendSignIn is the job of sending a sign-in's mail, or of deciding that none is sent. It holds the
// id alone: jobs hold neither addresses nor secrets.
type SendSignIn struct {
	ID string `json:"id"`
}

// Kind implements river.JobArgs.
func (SendSignIn) Kind() string { return "account_sign_in" }

// A SignInStore keeps sign-ins.
type SignInStore interface {
	SignInMaker
	SignInMailer
	SignInRedeemer
	// PruneSignIns deletes up to limit sign-ins that were made before a time.
	PruneSignIns(ctx context.Context, before time.Time, limit int) (int, error)
}

// A SignInMaker stores new sign-ins.
type SignInMaker interface {
	// Ask stores a sign-in and its SendSignIn job in one transaction. The statements are the same
	// for every address.
	Ask(ctx context.Context, s SignIn) error
	// Link stores a sign-in for an account that exists, or returns ErrNoAccount. The language is
	// the account's.
	Link(ctx context.Context, by Actor, s SignIn) error
}

// A SignInMailer knows what decides about mails.
type SignInMailer interface {
	// SignIn returns a sign-in, and whether there is an account with its address; or ErrNoSignIn.
	SignIn(ctx context.Context, id string) (s SignIn, known bool, err error)
	// MarkSent notes that a mail is sent, unless that is noted already.
	MarkSent(ctx context.Context, id string, now time.Time) error
}

// A SignInRedeemer spends sign-ins.
type SignInRedeemer interface {
	// Redeem locks the sign-ins of a claim, calls decide with them, and does what it says, all in
	// one transaction. It returns the account of the sign-in that was spent, which it
	// creates if it may, or else ErrNoSignIn.
	Redeem(ctx context.Context, c Claim, now time.Time, decide func([]SignIn) Redemption) (Account, error)
}

// A Claim names sign-ins that were sent, are not spent, and have tries left: the one of a token, or
// those of a browser.
type Claim struct {
	Token    Hash
	Browsers [][]byte  // when not nil, instead of Token: the browser's hash, by each secret
	After    time.Time // made after this time
}

// A Redemption is what comes of a claim.
type Redemption struct {
	Spend  string   // the id of the sign-in to spend; "" for none
	Create bool     // its account may be created
	Missed []string // the ids of those that have one try less
	Err    error    // what to return when none is spent
}
