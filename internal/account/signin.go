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
	// SignInFor is how long the link and the code of a sign-in work after the mail is sent. The
	// last mail that a recipient gets works until they can get another.
	SignInFor = 10 * time.Minute
	// KeepSignIns is how long sign-ins are stored, spent or not.
	KeepSignIns = 24 * time.Hour

	// CodeTries is the number of wrong codes that ends a sign-in in the browser that asked for it.
	CodeTries = 5
)

// A SignIn is a stored request for a sign-in mail, or a link made by the operator.
type SignIn struct {
	ID        string // a UUID
	Email     string
	Language  Language
	TokenHash Hash
	CodeHash  []byte // nil for a link of the operator, which has no code
	Browser   []byte // the hash of the asking browser's cookie; nil for a link of the operator
	Recipient []byte // the pseudonym of the mailbox
	Networks  [3][]byte
	Limited   bool // the recipient had too many mails: none is sent, and the last one to the address works
	Tries     int  // wrong codes in its browser
	CreatedAt time.Time
	Released  time.Time // by Dispatch
	SentAt    time.Time // zero if no mail was sent: the token and the code do not work
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
	// ErrNoSignIn is returned for a token or a code that does not sign in. It does not say why: it is
	// unknown, spent, expired, of another browser, or was never sent.
	ErrNoSignIn = errors.New("this link or code does not sign in: it was used, is too old or is not of this browser")
	// ErrWrongCode is the target of errors.Is for a *WrongCodeError.
	ErrWrongCode = errors.New("the code is wrong")
	// ErrTooManyAccounts is returned if signing in would create an account from a network that has
	// created too many. The sign-in is not spent.
	ErrTooManyAccounts = errors.New("too many accounts were made from this network today")
)

// A WrongCodeError reports that a code is wrong and that another may be tried.
type WrongCodeError struct {
	Left int // the tries left, at least one
}

func (e *WrongCodeError) Error() string {
	return fmt.Sprintf("%v; %d tries are left", ErrWrongCode, e.Left)
}

// Is implements errors.Is.
func (e *WrongCodeError) Is(target error) bool { return target == ErrWrongCode }

// A SignInMail has the values of a sign-in's mail. Printing it shows only its id.
type SignInMail struct {
	ID       string // of the sign-in: a retry has the same
	To       string `json:"-"`
	Language Language
	Token    string    `json:"-"` // of the link
	Code     string    `json:"-"` // "" if too many wrong ones were typed
	Until    time.Time // when both expire
	Last     bool      // the recipient gets no other until then
}

// Format implements fmt.Formatter, for all verbs.
func (m SignInMail) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "sign-in "+m.ID) }

// LogValue returns the id, for slog.
func (m SignInMail) LogValue() slog.Value { return slog.StringValue("sign-in " + m.ID) }

// A MailOutcome is the result of SignIns.Mail.
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

// The River queues of mails that somebody waits for. Addresses with an account have their own queue,
// so that mails to others do not delay them.
const (
	MailQueue    = "mail"
	NewMailQueue = "mail_new"
)

// SendSignIn is the job that sends a sign-in's mail, or decides that none is sent. It holds only
// the id: jobs hold neither addresses nor secrets.
type SendSignIn struct {
	ID string `json:"id"`
}

// Kind implements river.JobArgs.
func (SendSignIn) Kind() string { return "account_sign_in" }

// A SignInStore stores sign-ins.
type SignInStore interface {
	SignInMaker
	MailDispatcher
	SignInMailer
	SignInRedeemer
	// PruneSignIns deletes at most limit sign-ins created before a time, and returns how many, and
	// how many of those still waited for their mail.
	PruneSignIns(ctx context.Context, before time.Time, limit int) (n, waiting int, err error)
	// PruneCounts deletes the counts of mails before hour, and those of wrong codes and new
	// accounts before day.
	PruneCounts(ctx context.Context, hour, day time.Time) error
}

// A SignInMaker stores new sign-ins.
type SignInMaker interface {
	// Ask stores a sign-in whose mail waits for Dispatch. The statement is the same for every
	// address, and reads nothing.
	Ask(ctx context.Context, s SignIn) error
	// Link stores a sign-in for an existing account, in its language, or returns ErrNoAccount.
	Link(ctx context.Context, by Actor, s SignIn) error
}

// A MailDispatcher schedules the waiting mails.
type MailDispatcher interface {
	// Dispatch sorts the waiting sign-ins by whether their address has an account, and inserts the
	// SendSignIn jobs of those whose turn it is. Concurrent calls do the work of one.
	Dispatch(ctx context.Context, now time.Time) (Dispatched, error)
	// Waiting returns how many mails wait, and when the one that has waited longest was asked for.
	Waiting(ctx context.Context) (Waiting, time.Time, error)
}

// A Dispatched counts the results of a Dispatch.
type Dispatched struct {
	Limited  int // mails over their recipient's limit
	Released int // inserted jobs
	Late     int // of those, how many waited longer than until the next Dispatch
}

// Waiting counts the waiting mails, to addresses with an account and without. Those not yet sorted
// count among the latter.
type Waiting struct{ Known, New int }

// A SignInMailer reads the sign-ins to mail, and counts their mails.
type SignInMailer interface {
	// SignIn returns a sign-in, and whether its address has an account; or ErrNoSignIn.
	SignIn(ctx context.Context, id string) (s SignIn, known bool, err error)
	// Send records once that the mail of a sign-in is sent, and counts it with the mails of its
	// recipient. A mail over the recipient's limit is recorded as limited.
	Send(ctx context.Context, c MailClaim, now time.Time) (MailPermit, error)
}

// A MailClaim asks to send the mail of a sign-in.
type MailClaim struct {
	ID, Email string
	Known     bool   // the address has an account
	Recipient []byte // the pseudonym of the mailbox
	Address   []byte // the pseudonym of the address
}

// A MailPermit says what may be sent to a recipient.
type MailPermit struct {
	Limited   bool // nothing may be sent
	ExpiresAt time.Time
	Last      bool // the last mail until then
	NoCode    bool // without a code: too many wrong ones were typed for the address
}

// A SignInRedeemer spends sign-ins.
type SignInRedeemer interface {
	// Redeem locks the sign-ins of a claim, calls decide with them, and applies the result, all in
	// one transaction. It returns the account of the sign-in that was spent, creating it if the
	// redemption permits, or else ErrNoSignIn. If too many accounts were created, it returns
	// ErrTooManyAccounts and changes nothing.
	Redeem(ctx context.Context, c Claim, now time.Time, decide func([]SignIn) Redemption) (Account, error)
}

// A Claim selects unspent sign-ins: those that a browser asked for, the last mails to their
// addresses, and the one with a token.
type Claim struct {
	Token    *Hash
	Browsers [][]byte                  // the browser's hash with each secret
	Address  func(email string) []byte // returns the pseudonym of an address; nil unless a code is typed
	Networks []NetworkLimit            // for a new account
}

// A NetworkLimit is how many accounts can be created from a network.
type NetworkLimit struct {
	Network []byte
	Limit   int
}

// A Redemption is the decision about a claim.
type Redemption struct {
	Spend  []string // the ids of the sign-ins to spend, all of one address
	Create bool     // whether its account may be created
	Missed []SignIn // those that lose a try
	Err    error    // to return if none is spent
}
