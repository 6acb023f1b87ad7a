// Package signin is the account pages on which one signs in: the form that asks for a mail, the code
// of that mail, and the page that its link leads to. Begin with Pages in signin.go; its texts are in
// signin_texts.go.
//
// It never says whether an address has an account: the answer is the same for every one.
// account.SignIns decides who gets a mail and what a code is worth; the session itself begins in
// package page, when an answer says so.
package signin
