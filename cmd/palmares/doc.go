// Command palmares runs every part of the catalog service: it checks, previews and publishes
// content, brings the database up to date, and serves the API.
//
// A command parses its arguments, calls the package that does the work, and prints the result. Each has a file;
// read them in this order:
//
//	console.go              where commands print and ask
//	faults.go               how faults are printed
//	version.go              version
//	services.go             how commands get at accounts and endpoints
//	check.go                check
//	repository.go           what new repository writes
//	new_repository.go       new repository
//	new.go                  new, with its other subcommands
//	retire.go               retire
//	rename.go               rename
//	stale.go                stale
//	checked.go              checked
//	verify.go               verify
//	generate.go             generate
//	migrate.go              migrate
//	grants.go               grants
//	publish.go              publish
//	publish_git.go          publish --from-git
//	plan.go                 plan
//	editions.go             editions
//	preview.go              preview
//	serve.go                serve
//	config.go               config
//	ready.go                ready
//	key.go                  key
//	usage.go                the table of usage in account show
//	webhook_show.go         webhook show and list
//	account.go              account
//	webhook_update.go       webhook update
//	webhook_deliveries.go   webhook deliveries
//	webhook_replay.go       webhook replay
//	webhook_reseal.go       webhook reseal
//	webhook.go              webhook, with its shorter subcommands
//	reports.go              reports
//	billing_reconcile.go    billing reconcile
//	billing_setup.go        billing setup
//	billing_check.go        billing check
//	billing_adopt.go        billing adopt
//	billing_export.go       billing export
//	billing.go              billing, with show
//	man.go                  man, which is hidden
//	main.go                 the command line
package main
