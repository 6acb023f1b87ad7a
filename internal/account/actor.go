package account

// An Actor is whoever asks for something: an account, limited to what it owns, or the operator,
// who may touch everything. The zero Actor owns nothing.
type Actor struct {
	account  string
	operator bool
}

// Operator returns the actor for whoever runs the service: the command line, and the service's
// own background work.
func Operator() Actor { return Actor{operator: true} }

// ByAccount returns the actor for the account with that id.
func ByAccount(id string) Actor { return Actor{account: id} }

// IsOperator reports whether the actor is the operator.
func (a Actor) IsOperator() bool { return a.operator }

// AccountID returns the id of the acting account, or "" for the operator and the zero Actor.
func (a Actor) AccountID() string { return a.account }

// Owns reports whether the actor may touch what belongs to the account with that id.
func (a Actor) Owns(accountID string) bool {
	return a.operator || accountID != "" && a.account == accountID
}
