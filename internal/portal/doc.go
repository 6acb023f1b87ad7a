// Package portal is the account pages: signing in by e-mail, keys, usage, webhooks, plan and
// settings, under /compte and /en/account. It puts them together and has no page itself.
//
// Begin with options.go, what the pages stand on, and routes.go, the list of all pages and of what their
// forms do; New in portal.go makes a server of both. The handlers are in the packages signin, keys,
// webhooks, plan and settings, each with its texts and templates; package page is what all of them stand
// on, from the session to the HTML.
//
// Pages call the services of account, webhook and billing as the account that is signed in; they check
// nothing themselves. No page is cached, and each works without JavaScript.
package portal
