// Package billing has the rules of payment: what a subscription gives an account, who may buy, and
// what becomes of an account whose payments stop. It knows no provider and no database: a Provider
// takes payments, and a Store keeps what it last said.
//
// What the provider says now decides, never what an event or a page's address claims: an event only
// names whose subscription is to be looked at.
//
// Read subscription.go, then provider.go, service.go and store.go.
package billing
