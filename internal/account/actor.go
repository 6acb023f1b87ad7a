package account

// An Actor is who asks for something: an account, for what is its own, or the operator,
// for everything. The zero Actor is nobody, to whom nothing belongs.
type Actor struct {
	account  string
	operator bool
}

// Operator is whoever runs the service: the command line, and what the service does by
// itself.
func Operator() Actor { return Actor{operator: true} }

// ByAccount is the account with that id.
func ByAccount(id string) Actor { return Actor{account: id} }

// IsOperator reports whether the actor is the operator.
func (a Actor) IsOperator() bool { return a.operator }

// AccountID is the id of the account that acts; "" for the operator and for nobody.
func (a Actor) AccountID() string { return a.account }

// Owns reports whether the actor may touch what belongs to the account with that id.
func (a Actor) Owns(accountID string) bool {
	return a.operator || accountID != "" && a.account == accountID
}
