package account

// An Actor is whoever asks for something: an account, limited to what it owns, or the operator,
// who may touch everything. The zero Actor owns nothing.
type Actor struct {
	account  string
	operator bool
	service  bool // and not a person
	session  string
}

// Operator returns the actor for whoever runs the service: the command line.
func Operator() Actor { return Actor{operator: true} }

// ByService returns the actor for what the service does by itself. It may do what the operator may, and
// the log names it.
func ByService() Actor { return Actor{operator: true, service: true} }

// ByAccount returns the actor for the account with that id.
func ByAccount(id string) Actor { return Actor{account: id} }

// InSession returns the same actor, who acts in the session with that id. Only what asks for a fresh
// sign-in looks at it.
func (a Actor) InSession(id string) Actor { a.session = id; return a }

// Session returns the id of the session in which the actor acts, or "".
func (a Actor) Session() string { return a.session }

// Doer returns who the actor is in the log.
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
