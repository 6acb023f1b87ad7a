package account

import "time"

// An Action is something that was done with an account.
type Action string

// The actions. Those on endpoints and deliveries are recorded by package webhook's store.
const (
	AccountCreated   Action = "account.created"
	PlanChanged      Action = "plan.changed"
	LanguageChanged  Action = "language.changed"
	MailChanged      Action = "mail.changed" // which mail the owner wants
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
)

// Actions returns every action. Pages have a sentence for each.
func Actions() []Action {
	return []Action{
		AccountCreated, PlanChanged, LanguageChanged, MailChanged, EmailAsked, EmailCancelled, EmailChanged,
		KeyCreated, KeyRenamed, KeyRotated, KeyRevoked, KeysPinned, SessionStarted, SessionEnded,
		EndpointCreated, EndpointUpdated, EndpointVerified, EndpointEnabled, EndpointDisabled,
		EndpointRotated, EndpointDeleted, DeliveryReplayed,
	}
}

// An Activity is one line of the log that an owner sees of an account.
type Activity struct {
	At         time.Time `json:"at"`
	Action     Action    `json:"action"`
	Subject    string    `json:"subject"` // the name of a key or names of keys, the host of an endpoint, a plan; or ""
	By         Doer      `json:"by"`
	ByOperator bool      `json:"by_operator"`
}

// A Doer is who did what is in the log.
type Doer string

// Who can have done it. Unknown is for lines from before the service was told from the operator.
const (
	DoneByOwner    Doer = "owner"
	DoneByOperator Doer = "operator"
	DoneByService  Doer = "service" // by itself, such as after a payment or a receiver's failures
	DoneByUnknown  Doer = ""
)
