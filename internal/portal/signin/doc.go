// Package signin is the account pages for signing in: the form that asks for a mail, the code in that mail, and
// the page that its link leads to. Begin with Pages in signin.go; its texts are in signin_texts.go.
//
// It never reveals whether an address has an account: the response is the same for every address.
// account.SignIns decides who gets a mail and whether a code or link is good; package page starts the session
// when an answer asks for it.
package signin
