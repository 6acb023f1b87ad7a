// Package node puts a node together: it wires the packages that hold the rules to the engines
// and to the network, by role.
//
// A node is surfaces, which answer requests on one public mux; background tasks; jobs, which
// one client of River runs; and what says whether all of that works. The roles of a node are lists
// of parts, each of which adds its own to a builder: another surface, or another kind of job, is
// one more part.
//
// Begin with Main. The package has no rule and no page: what can be tested without a node belongs elsewhere.
//
// Read the files in this order:
//
//	builder.go   what a node is made of: its log, its listeners, the server of its surfaces
//	settings.go  its environment, and how many connections each use may have
//	quota.go     the counters of quotas and usage
//	readiness.go when it is ready: its schema, its engines, its surfaces
//	catalog.go   the catalog that it follows, and how many values somebody should look at again
//	keys.go      the API keys that it holds, and the services of accounts, by pool of connections
//	api.go       the JSON interface, what agents ask, the files, and its availability by the hour
//	site.go      the public pages, the status, reports of errors, and what a shared cache is told
//	jobs.go      the jobs that send mail and deliver webhooks
//	billing.go   the payment provider, its events and its jobs
//	portal.go    the account pages
//	database.go  what it tells of the database
//	node.go      New, Run and Main
//	opening.go   when it lets requests in, and tells the service manager
package node
