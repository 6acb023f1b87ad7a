// Package page is the common base of all account pages: sessions, form tokens, limits on concurrent requests,
// and rendering a handler's answer as HTML. It knows no page: the packages beside it (signin, keys, webhooks,
// plan, settings) have the handlers, the texts and the templates, and package portal puts them together.
//
// Begin with answer.go, request.go and route.go, which are all that a handler sees. A handler is a function
// that takes a Request and returns an Answer. It sets no cookie and writes no header; to sign a browser in or
// out, it says so in the answer. Server.serve answers a request step by step.
//
// The package makes no decision about accounts: it acts as the account of the session, and the services decide
// what that account may do. No response may be cached, and no session data is logged.
//
// Read the files in this order:
//
//   - answer.go, request.go, route.go: what a handler returns, what it gets, and how it is found
//   - page_texts.go, time.go, limit.go: the texts around every page, times in words, and limits that were met
//   - token.go, browser.go, session.go: form tokens, cookies, and the session of a browser
//   - server.go: what a Server needs
//   - render.go, error.go: from an answer, or an error, to HTML
//   - admission.go: how many requests run at once, and for how long
//   - form.go, serve.go: from a request to its response
package page
