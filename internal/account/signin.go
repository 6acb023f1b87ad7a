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
	// SignInFor is how long the link and the code of a sign-in work, from when its mail is sent. The
	// last mail that a recipient gets works until they can get another.
	SignInFor = 10 * time.Minute
	// KeepSignIns is how long sign-ins are kept, spent or not.
	KeepSignIns = 24 * time.Hour

	// CodeTries is how many wrong codes end a sign-in in the browser that asked for it.
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
	Recipient []byte // stands for the mailbox
	Networks  [3][]byte
	Limited   bool // the recipient has had too many mails: none is sent, and the last one to the address works
	Tries     int  // wrong codes in its browser
	CreatedAt time.Time
	Released  time.Time // when its mail had its turn
	SentAt    time.Time // zero: no mail was sent, and the token and the code are worth nothing
	ExpiresAt time.Time // of token and code
	SpentAt   time.Time // zero until it is spent

	WrongCodes int // typed for its address within CodeDay; known to Redeem alone
}

// works reports whether its token and code sign in.
func (s SignIn) works(now time.Time) bool {
	return !s.SentAt.IsZero() && s.SpentAt.IsZero() && now.Before(s.ExpiresAt)
}

// byOperator reports whether the operator made the sign-in.
func (s SignIn) byOperator() bool { return s.Browser == nil }

var (
	// ErrNoSignIn is returned for whatever signs nobody in. It does not say why: the token or the
	// code is unknown, spent or expired, is of another browser, or was never sent.
	ErrNoSignIn = errors.New("this link or code does not sign in: it was used, is too old or is not of this browser")
	// ErrWrongCode is what a *WrongCodeError is.
	ErrWrongCode = errors.New("the code is wrong")
	// ErrTooManyAccounts is returned to who would make an account. The sign-in is not spent.
	ErrTooManyAccounts = errors.New("too many accounts were made from this network today")
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
	Code     string    `json:"-"` // "" where too many wrong ones were typed
	Until    time.Time // when both expire
	Last     bool      // the recipient gets no other until then
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
	MailLimited MailOutcome = "limited" // too many were sent to the recipient
	MailBlocked MailOutcome = "blocked" // nobody may sign up with the address
	MailClosed  MailOutcome = "closed"  // nobody may sign up
	MailExpired MailOutcome = "expired" // it would come too late
	MailGone    MailOutcome = "gone"    // the sign-in was deleted or spent
)

// River's queues of mails that somebody waits for. Addresses that have an account have their own:
// however many strangers ask for mails to others, those do not wait.
const (
	MailQueue    = "mail"
	NewMailQueue = "mail_new"
)

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
	MailDispatcher
	SignInMailer
	SignInRedeemer
	// PruneSignIns deletes up to limit sign-ins that were made before a time, and says how many, and
	// how many of those waited for their mail.
	PruneSignIns(ctx context.Context, before time.Time, limit int) (n, waiting int, err error)
	// PruneCounts deletes what was counted before these times: mails, and wrong codes and new
	// accounts.
	PruneCounts(ctx context.Context, hour, day time.Time) error
}

// A SignInMaker stores new sign-ins.
type SignInMaker interface {
	// Ask stores a sign-in that waits for its turn. The statement is the same for every address, and
	// reads nothing.
	Ask(ctx context.Context, s SignIn) error
	// Link stores a sign-in for an account that exists, or returns ErrNoAccount. The language is
	// the account's.
	Link(ctx context.Context, by Actor, s SignIn) error
}

// A MailDispatcher knows which mails wait.
type MailDispatcher interface {
	// Dispatch sorts the sign-ins that wait by whether their address has an account, and inserts the
	// SendSignIn jobs of those whose turn it is. Several at once do the work of one.
	Dispatch(ctx context.Context, now time.Time) (Dispatched, error)
	// Waiting counts the mails that wait, and says since when the first of them does.
	Waiting(ctx context.Context) (Waiting, time.Time, error)
}

// A Dispatched is what came of sign-ins that waited.
type Dispatched struct {
	Limited  int // the recipient had too many mails already
	Released int // their jobs are inserted
	Late     int // of those released, the ones that waited longer than a Dispatch takes to come
}

// Waiting are the mails that wait, to addresses with an account and without. Those that nobody has
// looked at yet are among the latter.
type Waiting struct{ Known, New int }

// A SignInMailer knows what decides about mails.
type SignInMailer interface {
	// SignIn returns a sign-in, and whether there is an account with its address; or ErrNoSignIn.
	SignIn(ctx context.Context, id string) (s SignIn, known bool, err error)
	// Send notes that the mail of a sign-in is sent, unless that is noted already, and counts it with
	// the mails of its recipient. One that the recipient may not get any more is noted as limited.
	Send(ctx context.Context, c MailClaim, now time.Time) (MailPermit, error)
}

// A MailClaim is the wish to send the mail of a sign-in.
type MailClaim struct {
	ID, Email string
	Known     bool   // the address has an account
	Recipient []byte // stands for the mailbox
	Address   []byte // stands for the address
}

// A MailPermit is what a recipient may get.
type MailPermit struct {
	Limited   bool // nothing
	ExpiresAt time.Time
	Last      bool // it is the last one until then
	NoCode    bool // too many wrong codes were typed for the address
}

// A SignInRedeemer spends sign-ins.
type SignInRedeemer interface {
	// Redeem locks the sign-ins of a claim, calls decide with them, and does what it says, all in
	// one transaction. It returns the account of the sign-in that was spent, which it
	// creates if it may, or else ErrNoSignIn. Where too many were made it returns ErrTooManyAccounts
	// and does nothing.
	Redeem(ctx context.Context, c Claim, now time.Time, decide func([]SignIn) Redemption) (Account, error)
}

// A Claim names sign-ins that are not spent: those that a browser asked for, the last mails to their
// addresses, and the one of a token.
type Claim struct {
	Token    *Hash
	Browsers [][]byte                  // the browser's hash, by each secret
	Address  func(email string) []byte // what stands for an address; nil where no code is typed
	Networks []NetworkLimit            // that a new account is counted with
}

// A NetworkLimit is how many accounts can be made from a network.
type NetworkLimit struct {
	Network []byte
	Limit   int
}

// A Redemption is what comes of a claim.
type Redemption struct {
	Spend  []string // the ids of the sign-ins to spend, of one address; none for none
	Create bool     // its account may be created
	Missed []SignIn // those that have one try less
	Err    error    // what to return when none is spent
}
