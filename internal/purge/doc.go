// Package purge tells a shared cache what an edition changed. Responses carry tags for what they show; after an
// edition the cache is asked to drop the responses with the tags of what changed.
//
// The package knows neither the database nor the pages: a Store says what changed, and the code that makes a
// response tags it. Both sides use the tags in tags.go. cache.go sends requests in the forms of Varnish, Fastly
// and Cloudflare, and teller.go repeats them for each edition.
package purge
