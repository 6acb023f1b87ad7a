// Package page is what every account page stands on: who asks, whether a form is ours, how many
// requests run at once, and the way from a handler's answer to HTML. It knows no page: the packages
// beside it (signin, keys, webhooks, plan, settings) have the handlers, the texts and the templates, and
// package portal puts them together.
//
// Begin with answer.go, request.go and route.go, which are all that a handler sees. A handler is a
// function of a Request that returns an Answer. It sets no cookie and writes no header: the answer says
// whether the browser is signed in or out. A page is answered by Server.serve, step by step.
//
// The package decides nothing about accounts: it acts as the account of the session, and the services
// decide what that may do. No response may be cached, and nothing of a session is logged.
//
// Read the files in this order:
//
//   - answer.go, request.go, route.go: what a handler gives, what it gets, and where it is found
//   - page_texts.go, time.go, limit.go: the words around every page, times in words, and what is done
//     too often
//   - token.go, browser.go, session.go: tokens of forms, cookies, and the session of a browser
//   - server.go: what a Server stands on
//   - render.go, error.go: from an answer, or an error, to HTML
//   - admission.go: how many requests run at once, and how long
//   - form.go, serve.go: from a request to its response
package page
