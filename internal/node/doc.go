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
//	behind.go       what it does while its database is to be migrated
//	readiness.go    when a node is ready
//	descriptors.go  how many connections each use may have
//	builder.go      what a node is made of
//	logger.go       its log
//	settings.go     its environment
//	schema.go       whether it is too old for its database
//	server.go       its listeners, and the server of its surfaces
//	facts.go        how many values somebody should look at again
//	catalog.go      the catalog that it follows
//	keys.go         the API keys that it holds
//	quota.go        the counters of quotas and usage
//	accounts.go     the services of accounts, by pool of connections
//	files.go        the files that can be downloaded
//	mcp.go          what agents ask
//	availability.go what the API answers, written down by the hour
//	api.go          the JSON interface
//	status.go       what the page about the status says of the node
//	reports.go      errors that readers report
//	site.go         the public pages
//	mails.go        the jobs that send mail
//	billing.go      the payment provider, its events and its jobs
//	portal.go       the account pages
//	webhooks.go     the jobs that deliver webhooks
//	purge.go        what a shared cache is told
//	database.go     what it tells of the database
//	notify.go       how the service manager is told
//	engines.go      which engines do not answer
//	node.go         New, Run and Main
//	opening.go      when it lets requests in, and tells the service manager
package node
