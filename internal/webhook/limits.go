package webhook

import (
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// How often accounts may have tests and challenges sent. Deliveries are not counted: they go to
// receivers that have answered a challenge.
var (
	SendLimit     = account.ActLimit{Name: "tests", Most: 30, Within: time.Hour} // of an account
	SendHostLimit = account.ActLimit{Name: "host", Most: 10, Within: time.Hour}  // of an account, to one host
	// ChallengeLimit is over all accounts, to a host on which nobody has verified an endpoint: it never
	// asked for anything.
	ChallengeLimit = account.ActLimit{Name: "challenges", Most: 10, Within: time.Hour}
)

// A Sending is a test or a challenge that is about to be sent.
type Sending struct {
	Now    time.Time
	Sample bool // a sample and not the challenge: only who has answered that gets it
}

// classOnly leaves of a result what an account is told about a host that has not consented: the class
// of the status, or why there is none. Whoever wants to know more proves that the host is theirs.
func (r Result) classOnly() Result {
	if r.Status == 0 {
		return Result{Reason: r.Reason, TimedOut: r.TimedOut, Class: true}
	}
	return Result{Status: r.Status / 100 * 100, Class: true}
}
