// Package node assembles a node: it connects the packages with the business rules to the engines
// (PostgreSQL, Redis and others) and to the network, according to the node's roles.
//
// A node consists of surfaces, which answer requests on one public mux; of background tasks; of jobs,
// which one River client runs; and of its readiness checks and metrics. A role is a list of parts, each
// of which adds something to a builder. To add a surface or a kind of job, add a part.
//
// Begin with Main. The package contains no rules and no pages: code that can be tested without a node
// belongs elsewhere.
//
// Read the files in this order:
//
//	memory.go    how often garbage is collected, and the memory limit of the process
//	builder.go   the builder: the log, the listeners, the connection pools, the public server
//	settings.go  reading and checking the settings, and the shares of open files
//	quota.go     the connections to Redis, and the counters of quotas and usage
//	readiness.go the checks of the schema, the engines and the surfaces, for /readyz
//	catalog.go   the catalog that the node follows, and gauges of values that need to be checked again
//	keys.go      the API keys that the node holds, and the account services of each connection pool
//	api.go       the JSON interface, the MCP server, the files for download, and the API's availability
//	site.go      the public pages, the status, reports of errors, and purging a shared cache
//	jobs.go      the jobs that send mail and deliver webhooks
//	billing.go   the payment provider, its events and its jobs
//	portal.go    the account pages
//	database.go  gauges of the database and its server
//	node.go      New, Run and Main
//	opening.go   opening the public address, and notifying the service manager
package node
