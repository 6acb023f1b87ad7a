package account

import "time"

// An Actor is who acts: an account, limited to what it owns, or the operator, who may do
// everything. The zero Actor owns nothing.
type Actor struct {
	account  string
	operator bool
	service  bool // the operator, but not a person
	session  string
}

// Operator returns the actor of the command line.
func Operator() Actor { return Actor{operator: true} }

// ByService returns the actor of the service itself. It may do what the operator may, and the log
// names it.
func ByService() Actor { return Actor{operator: true, service: true} }

// ByAccount returns the actor of the account with that id.
func ByAccount(id string) Actor { return Actor{account: id} }

// InSession returns the actor with the id of the session that it acts in. Only actions that need a
// Fresh session check it.
func (a Actor) InSession(id string) Actor { a.session = id; return a }

// Session returns the id of the actor's session, or "".
func (a Actor) Session() string { return a.session }

// Doer returns the name of the actor in the log.
func (a Actor) Doer() Doer {
	switch {
	case a.service:
		return DoneByService
	case a.operator:
		return DoneByOperator
	}
	return DoneByOwner
}

// IsOperator reports whether the actor may do what the operator may.
func (a Actor) IsOperator() bool { return a.operator }

// AccountID returns the id of the acting account, or "" for the operator and the zero Actor.
func (a Actor) AccountID() string { return a.account }

// Owns reports whether the actor may touch what belongs to the account with that id.
func (a Actor) Owns(accountID string) bool {
	return a.operator || accountID != "" && a.account == accountID
}

// An Action is a kind of entry in an account's log.
type Action string

// The actions. Those on endpoints and deliveries are recorded by package webhook's store.
const (
	AccountCreated   Action = "account.created"
	PlanChanged      Action = "plan.changed"
	LanguageChanged  Action = "language.changed"
	MailChanged      Action = "mail.changed" // the preferences about mail
	EmailAsked       Action = "email.asked"
	EmailCancelled   Action = "email.cancelled"
	EmailChanged     Action = "email.changed"
	KeyCreated       Action = "key.created"
	KeyRenamed       Action = "key.renamed"
	KeyRotated       Action = "key.rotated"
	KeyRevoked       Action = "key.revoked"
	KeysPinned       Action = "keys.kept" // which keys stay awake on a smaller plan
	SessionStarted   Action = "session.started"
	SessionEnded     Action = "session.ended"
	EndpointCreated  Action = "endpoint.created"
	EndpointUpdated  Action = "endpoint.updated"
	EndpointVerified Action = "endpoint.verified"
	EndpointEnabled  Action = "endpoint.enabled"
	EndpointDisabled Action = "endpoint.disabled"
	EndpointRotated  Action = "endpoint.rotated"
	EndpointDeleted  Action = "endpoint.deleted"
	DeliveryReplayed Action = "delivery.replayed"
	WatchlistChanged Action = "watchlist.changed"
	DigestSet        Action = "digest.set"
	DigestStopped    Action = "digest.stopped" // the mail server refused too many
)

// Actions returns every action. Pages have a sentence for each.
func Actions() []Action {
	return []Action{
		AccountCreated, PlanChanged, LanguageChanged, MailChanged, EmailAsked, EmailCancelled, EmailChanged,
		KeyCreated, KeyRenamed, KeyRotated, KeyRevoked, KeysPinned, SessionStarted, SessionEnded,
		EndpointCreated, EndpointUpdated, EndpointVerified, EndpointEnabled, EndpointDisabled,
		EndpointRotated, EndpointDeleted, DeliveryReplayed, WatchlistChanged, DigestSet, DigestStopped,
	}
}

// An Activity is an entry of an account's log, for its owner.
type Activity struct {
	At         time.Time `json:"at"`
	Action     Action    `json:"action"`
	Subject    string    `json:"subject"` // the name of a key or names of keys, the host of an endpoint, a plan; or ""
	By         Doer      `json:"by"`
	ByOperator bool      `json:"by_operator"`
}

// A Doer is the kind of actor that did what an Activity records. It is "" in rows from before the
// service was distinguished from the operator.
type Doer string

// The doers.
const (
	DoneByOwner    Doer = "owner"
	DoneByOperator Doer = "operator"
	DoneByService  Doer = "service" // by itself, such as after a payment or a receiver's failures
)
