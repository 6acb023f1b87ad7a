// Package portal is the account pages: signing in by e-mail, keys, usage, webhooks, plan and
// settings, under /compte and /en/account. Pages call the services of account, webhook and billing
// as the account that is signed in; they check nothing themselves. No page is cached, and each works
// without JavaScript.
//
// Read the files in this order:
//
//   - answer.go, route.go: what a handler gives, and pages with their forms
//   - portal.go: what the pages stand on
//   - cookie.go, session.go, protect.go, request.go, admission.go: who asks, whether a form is ours, all
//     that a handler may depend on, and how many run at once
//   - portal_texts.go: the words around every page
//   - span.go, limits_texts.go, limits.go: times in words, and what is done too often
//   - browsername.go, signin_texts.go, signin.go: signing in
//   - keys_texts.go, samples.go, firstcall.go, keys.go: keys, and a first call with a new one
//   - code.go, reason_texts.go, reason.go: how pages write JSON, and reasons of package webhook
//   - webhooks_texts.go, deliveries.go, endpoint.go, endpoint_actions.go, webhooks.go: webhooks, from
//     one delivery to the list of endpoints
//   - usage_texts.go, usage.go, unsubscribe.go: what was used, and the mail about it
//   - plan_texts.go, pay_texts.go, country_texts.go, billing.go, estimate.go, subscription.go, keep.go,
//     cancel.go, payment.go, plan.go: the plan, and how it is paid for
//   - settings_texts.go, activity.go, settings.go, address.go: the account itself
//   - routes.go: the list of pages
//   - render.go, typed.go, serve.go: from a request to HTML
package portal
