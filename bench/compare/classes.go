package main

import "slices"

// What a request asks for.
const (
	one      = iota // one tool
	toolPage        // the page about it, which is cached
	list            // the first page of all
)

// A caller is who sends the requests, and so which part of the quota code they exercise.
type caller int

const (
	anonymous caller = iota // each request from another address
	developer               // each request with another key
	pro                     // one key, not counted
	exhausted               // one address that is out of quota
)

// A class is a kind of request, and what its rate is compared with.
type class struct {
	Name        string
	Short       bool // measured in CI too
	Goal        float64
	Subject     string // the server that is measured: Palmarès in all classes but one
	Base        string
	what        int
	caller      caller
	gzip        bool // Accept-Encoding: gzip
	conditional bool // If-None-Match
}

// label returns a name that no other class has.
func (c class) label() string { return c.Name + " / " + c.Base }

// classes are all the classes. A Goal of 0 means none.
var classes = []class{
	{Name: "one tool, anonymous, exact quota", Goal: 0.95, Subject: palmares, Base: bareIncr, what: one, caller: anonymous},
	{Name: "one tool, Developer key, exact quota", Goal: 0.95, Subject: palmares, Base: bareIncr, what: one, caller: developer},
	{Name: "list raw, anonymous, exact quota", Goal: 0.95, Subject: palmares, Base: bareIncr, what: list, caller: anonymous, Short: true},
	{Name: "list gzip, anonymous, exact quota", Goal: 0.75, Subject: palmares, Base: bare, what: list, caller: anonymous, gzip: true},
	{Name: "one tool, Pro key", Goal: 0.90, Subject: palmares, Base: bare, what: one, caller: pro, Short: true},
	{Name: "list raw, Pro key", Goal: 0.92, Subject: palmares, Base: bare, what: list, caller: pro},
	{Name: "list gzip, Pro key", Goal: 1.30, Subject: palmares, Base: bare, what: list, caller: pro, gzip: true, Short: true},
	{Name: "304 of a list, Pro key", Goal: 1.35, Subject: palmares, Base: bare, what: list, caller: pro, conditional: true},
	{Name: "429 of an exhausted address", Goal: 1.00, Subject: palmares, Base: bare, what: one, caller: exhausted},
	{Name: "one tool, Pro key", Goal: 2, Subject: palmares, Base: goPgx, what: one, caller: pro},
	{Name: "list raw, Pro key", Goal: 15, Subject: palmares, Base: goPgx, what: list, caller: pro},
	{Name: "one tool, Pro key", Goal: 5, Subject: palmares, Base: pocketBase, what: one, caller: pro},
	{Name: "list raw, Pro key", Goal: 50, Subject: palmares, Base: pocketBase, what: list, caller: pro},
	{Name: "one tool, Pro key", Subject: palmares, Base: nginx, what: one, caller: pro},
	{Name: "list raw, Pro key", Subject: palmares, Base: nginx, what: list, caller: pro},
	{Name: "one tool, Pro key", Subject: palmares, Base: layerOff, what: one, caller: pro, Short: true},
	{Name: "list raw, Pro key", Subject: palmares, Base: layerOff, what: list, caller: pro},
	{Name: "304 of a list, Pro key", Subject: palmares, Base: layerOff, what: list, caller: pro, conditional: true},
	{Name: "one tool, bare + INCR", Subject: bareIncr, Base: bare, what: one, caller: anonymous},
}

// besideOlder returns the classes in which this build is compared with an older one: each kind of request once,
// and a page.
func besideOlder() []class {
	var all []class
	for _, c := range classes {
		seen := slices.ContainsFunc(all, func(o class) bool { return o.Name == c.Name })
		if c.Subject != palmares || seen {
			continue
		}
		c.Base, c.Goal = older, 0
		all = append(all, c)
	}
	return append(all, class{Name: "a cached page", Subject: palmares, Base: older, what: toolPage, caller: pro})
}
