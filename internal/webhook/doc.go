// Package webhook delivers the catalog's events to the endpoints of Pro accounts.
//
// The event log says what happened, and each endpoint follows it with a cursor of its own. Deliveries
// are created from the log in batches, when an endpoint's job runs, so that a large publication is
// never multiplied by all endpoints at once. River runs one job per endpoint that has something to do.
// The deliveries table is the source of truth: a sweep finds endpoints that have no job.
//
// Begin with Endpoints, the service through which owners and the operator manage endpoints, or with Worker,
// which delivers. The package writes no SQL and renders no page, and sends only to addresses that package
// guard lets through.
//
// Read the files in this order:
//
//   - reason.go, endpoint.go: the types
//   - parse.go: parsing what owners write
//   - secret.go, reseal.go: secrets, and how they are encrypted (sealed) in the database
//   - schedule.go, payload.go, sender.go, sample.go: one attempt, its content and the time of the next
//   - endpoints_store.go, endpoints.go, deliveries.go: the service
//   - worker_store.go, worker.go, run.go, river.go: the worker
package webhook
