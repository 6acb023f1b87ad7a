// Package purge tells a shared cache what an edition changed. Responses carry tags, which say what they show; after an edition the
// cache is asked to drop what has the tags of what changed.
//
// It knows neither the database nor the pages: a Store says what changed, and whoever makes a response says what it shows.
// Tags are the words of both sides (tags.go). cache.go asks a cache, as Varnish, Fastly or Cloudflare want to be asked, and
// teller.go does so again and again.
package purge
