// Package portal serves the account pages under /compte and /en/account: signing in by e-mail, keys, usage,
// webhooks, plan and settings. It assembles the packages that have the pages, and has no page itself.
//
// Begin with options.go, what the pages need, and routes.go, which lists every page and every form action; New
// in portal.go makes a server of both. The handlers are in the packages signin, keys, webhooks, plan and
// settings, each with its texts and templates. Package page is their common base, from the session to the HTML.
//
// Handlers call the services of account, webhook and billing as the signed-in account, and leave all permission
// checks to them. No page is cached, and each works without JavaScript.
package portal
