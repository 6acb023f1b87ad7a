package webhook

import (
	"context"
	"time"
)

// A WorkerStore stores endpoints and deliveries for workers. Callers pass in all times; the database's
// clock is not used.
type WorkerStore interface {
	SealStore
	ClaimStore
	LogReader
	DeliveryQueue
	HealthStore
	Pruner
}

// A ClaimStore assigns endpoints to workers. A claim is a number that grows each time an endpoint is
// assigned: a worker that holds an older one has been replaced.
type ClaimStore interface {
	// Enqueue finds up to limit active endpoints that no job is working on and that have something
	// to do: a delivery that is due, or events after their cursor. It claims each of them until then
	// and inserts its Deliver job, in one transaction. It returns how many.
	Enqueue(ctx context.Context, now, until time.Time, limit int) (int, error)
	// Start extends the claim on an endpoint until then; ok is false if the claim is not the latest
	// or the endpoint is not active.
	Start(ctx context.Context, endpoint string, claim int64, until time.Time) (
		e Endpoint, ok bool, err error)
	// Release gives up the claim. Enqueue does not assign the endpoint again before notBefore.
	Release(ctx context.Context, endpoint string, claim int64, notBefore time.Time) error
}

// A LogReader reads the event log.
type LogReader interface {
	EventReader
	// EventEditions returns the edition of each event that is in the log, by an id that no other
	// edition has, not even one with the same number.
	EventEditions(ctx context.Context, seqs []int64) (map[int64]string, error)
}

// A DeliveryQueue keeps the deliveries of an endpoint.
type DeliveryQueue interface {
	// Advance reads up to limit events after the cursor, creates the endpoint's deliveries of them
	// and moves the cursor, unless maxPending deliveries are pending already. It returns how many it
	// created, and whether there are events after the new cursor.
	Advance(ctx context.Context, endpoint string, now time.Time, limit, maxPending int) (
		created int, more bool, err error)
	// Due lists the deliveries to attempt now, those that have waited longest first.
	Due(ctx context.Context, endpoint string, now time.Time, limit int) ([]Delivery, error)
	// Record stores the outcomes of attempts and the endpoint's health, moves the previous attempt of
	// each delivery to its history, and extends the claim until then.
	Record(ctx context.Context, endpoint string, outcomes []Outcome, health Health,
		until time.Time) error
}

// A HealthStore records why nothing is delivered to an endpoint.
type HealthStore interface {
	// SetReason records why nothing is delivered to an active endpoint; the zero Reason means that
	// deliveries go on. It reports whether the reason changed.
	SetReason(ctx context.Context, endpoint string, reason Reason) (changed bool, err error)
	// Disable disables an endpoint for a reason and inserts the NotifyDisabled job in the same
	// transaction.
	Disable(ctx context.Context, endpoint string, reason Reason, now time.Time) error
}

// A Pruner deletes old rows, up to limit at a time. Its methods return how many they deleted.
type Pruner interface {
	// Prune deletes deliveries that are over and were created and last attempted before then, with
	// their attempts.
	Prune(ctx context.Context, before time.Time, limit int) (int, error)
	// PruneEvents deletes the beginning of the log: events published before then, up to the cursor
	// of every active endpoint and to the first event that a delivery names. Endpoints that are not
	// active do not hold the log: when they become active they start at its end.
	PruneEvents(ctx context.Context, before time.Time, limit int) (int, error)
}

// Health is the state of an endpoint's deliveries after a run.
type Health struct {
	FailingSince time.Time // as in Endpoint
	Slow         bool
}

// River's queues. Slow endpoints have one of their own, so that the others do not wait for them.
const (
	Queue     = "webhook"
	SlowQueue = "webhook_slow"
)

// FanOut is the job of a publication, committed with it. It gives every endpoint that is behind the log a Deliver
// job.
type FanOut struct {
	Edition int64 `json:"edition"`
}

// Kind implements river.JobArgs.
func (FanOut) Kind() string { return "webhook_fan_out" }

// Deliver is the job of delivering to one endpoint. A job whose claim is no longer the latest has
// been replaced by another, and does nothing.
type Deliver struct {
	Endpoint string `json:"endpoint"`
	Claim    int64  `json:"claim"`
}

// Kind implements river.JobArgs.
func (Deliver) Kind() string { return "webhook_deliver" }

// NotifyDisabled is the job that tells an owner that an endpoint was disabled. It holds only the endpoint's id: jobs
// hold no e-mail addresses.
type NotifyDisabled struct {
	Endpoint string `json:"endpoint"`
}

// Kind implements river.JobArgs.
func (NotifyDisabled) Kind() string { return "webhook_tell_disabled" }
