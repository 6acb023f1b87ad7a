// Package postgres holds all the SQL: the schema with its migrations, and one struct per
// aggregate over the pool of connections that Open makes.
//
//   - Catalog holds what is published. Publish writes an edition; nodes read it from a Feed.
//   - Webhooks holds endpoints, their deliveries, and which job works on which endpoint.
//   - Accounts holds accounts, their plans and settings, what was done with them, and ends their
//     sessions.
//   - SignIns holds requests for sign-in mails.
//   - Sessions holds the sessions of signed-in browsers.
//   - Keys holds API keys. Nodes read the live ones from a KeyFeed.
//   - Answers counts what the API answered, by hour.
//   - Billing holds customers of the payment provider, its events and the mails about them.
//   - Reports holds what readers say is wrong in the catalog.
//   - Purges holds which edition shared caches were last told of.
//   - Digests holds how far the log was read for lists of tools, and which digests are due.
//
// Methods that take an account.Actor see and change only what belongs to that actor; the
// operator sees and changes everything. Each statement checks the owner itself. Methods
// without an actor belong to the service: publication, nodes and jobs call them, and no
// account does.
//
// Begin with Open. The package stores the decisions of other packages and makes none itself, except those
// that only a transaction can make: who was first, and whether there is room for one more.
//
// Read the files in this order. Each uses only those before it:
//
//	tls.go           what is wrong with TLS, in words
//	explain.go       what to change where the server refuses, in words
//	sql.go           queries, transactions, NULL, owners, errors
//	away.go          which errors mean that the database does not answer
//	activity.go      recording what was done with an account, and which keys work on a plan
//	listen.go        connections that wait for notifications
//	schema.go        which programs understand which schema
//	migrate.go       bringing the schema up to date
//	jobs.go          River, whose jobs commit with the data they are about
//	edition.go       Catalog: editions, the service, categories
//	writer.go        the rows that an edition writes, and tombstones
//	columns.go       which column holds which value of an item
//	reviews.go       the Markdown of reviews and their dictionary
//	tools.go         tools and their prices
//	prices.go        what a publication does to the price history
//	lastmoves.go     what a correction takes back
//	lastvalues.go    the former values of fields, so that a plan marks changes back to them
//	comparisons.go   comparisons and retired tools
//	operatorfiles.go the operator's own files, and incidents
//	provenance.go    where editions come from, and what they did to files
//	histories.go     what was true of tools and when
//	publication.go   publishing an edition
//	grants.go        the role that may only publish
//	changelog.go     reading the change log
//	feed.go          what a node reads of editions
//	changes.go       reading the part of the change log that a node does not hold
//	limits.go        counting actions that are limited
//	reasons.go       why endpoints and deliveries fail, as columns
//	endpoints.go     Webhooks: endpoints and their secrets
//	sends.go         counting tests and challenges
//	events.go        the events of deliveries, and pruning the log
//	attempts.go      attempts before the last one
//	deliveries.go    deliveries
//	states.go        enabling, verifying, pausing, disabling endpoints
//	replay.go        making deliveries again
//	claims.go        which job works on which endpoint
//	counts.go        what the metrics show of webhooks
//	seals.go         sealed secrets and the canary
//	access.go        the order of changes of access
//	documents.go     billing details, and the invoices and credit notes to mail
//	settings.go      the columns of what owners choose
//	customers.go     what is kept about payments
//	orders.go        what was ordered, and the texts that were accepted
//	accounts.go      Accounts
//	notices.go       which mails about the quota were sent
//	signins.go       SignIns
//	mailturns.go     which sign-in mails are sent next
//	mailcounts.go    how many mails a recipient gets
//	signinredeem.go  spending links and codes, wrong codes, new accounts
//	sessions.go      Sessions, and what owners do with them
//	preferences.go   what owners set: language, mail; their address
//	emailchanges.go  changes of address that both mailboxes confirm
//	watchlists.go    what owners do with their list of tools
//	deletion.go      deleting an account, and its final mail
//	export.go        what owners see of their account: activity, the export
//	keys.go          Keys
//	rotations.go     rotating a key
//	pinning.go       choosing the keys that stay active
//	keyfeed.go       what a node reads of keys
//	lineage.go       noticing that a database was restored
//	billing.go       Billing: customers, and holding one while the provider is asked
//	orderbook.go     listing and deleting orders
//	billingevents.go events of the payment provider, and the mails that follow
//	binding.go       the account at the payment provider that has the customers
//	reports.go       Reports: errors that readers report
//	answers.go       Answers: what the API answered, by hour
//	purges.go        Purges: which edition shared caches were last told of
//	digests.go       Digests: reading the log for lists of tools, and claiming digests
//	digestends.go    what became of digests
//	reconcile.go     the last comparison with the provider
//	postgres.go      DB: the pool and the aggregates
//	server.go        the server's clock, its archive and its backups
package postgres
