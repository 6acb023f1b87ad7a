package webhook

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// A run is one job's work on one endpoint.
type run struct {
	w        *Worker
	endpoint Endpoint
	claim    int64
	secrets  []Secret
	deadline time.Time // no attempt begins after this

	health   Health
	failures int    // consecutive
	disable  Reason // why the endpoint is to be disabled; zero if it is not
	stop     bool
}

// deliver works on an endpoint until there is nothing to do for now, or its time is up.
func (w *Worker) deliver(ctx context.Context, job Deliver) error {
	now := w.o.Now()
	e, ok, err := w.o.Store.Start(ctx, job.Endpoint, job.Claim, now.Add(w.o.Lease))
	if err != nil || !ok {
		return err
	}
	secrets, skipped, err := w.o.Keyring.signers(e, now)
	if err != nil {
		return w.markUnreadable(ctx, e, job.Claim)
	}
	if err := w.markReadable(ctx, e, skipped); err != nil {
		return err
	}
	r := &run{
		w: w, endpoint: e, claim: job.Claim, secrets: secrets, deadline: now.Add(runFor),
		health: Health{FailingSince: e.FailingSince},
	}
	for !r.stop && ctx.Err() == nil && w.o.Now().Before(r.deadline) {
		again, err := r.next(ctx)
		if err != nil {
			return err // the claim expires, and the sweep tries again
		}
		if !again {
			break
		}
	}
	return r.finish(ctx)
}

// finish disables or releases the endpoint, even after ctx is cancelled.
func (r *run) finish(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	o := r.w.o
	if r.disable != (Reason{}) {
		o.Logger.Warn("endpoint disabled", "endpoint", r.endpoint.ID, "reason", r.disable.String())
		return o.Store.Disable(ctx, r.endpoint.ID, r.disable, o.Now())
	}
	notBefore := time.Time{}
	if r.failures >= maxFailures {
		notBefore = o.Now().Add(failureDelay)
	}
	return o.Store.Release(ctx, r.endpoint.ID, r.claim, notBefore)
}

// next attempts the deliveries that are due or, if there are none, creates deliveries from the log. It
// reports whether there may be more to do.
func (r *run) next(ctx context.Context) (again bool, err error) {
	store := r.w.o.Store
	due, err := store.Due(ctx, r.endpoint.ID, r.w.o.Now(), dueBatch)
	if err != nil {
		return false, err
	}
	if len(due) == 0 {
		created, more, err := store.Advance(ctx, r.endpoint.ID, r.w.o.Now(), logBatch, maxPending)
		return created > 0 || more, err
	}
	bodies, err := r.w.payloads.bodies(ctx, due)
	if err != nil {
		return false, err
	}
	return true, r.attempt(ctx, due, bodies)
}

// attempt sends deliveries, a few at a time, and records the outcomes as it goes, so that after a crash
// only deliveries without a recorded outcome are sent again.
func (r *run) attempt(ctx context.Context, due []Delivery, bodies map[int64][]byte) error {
	todo := make(chan Delivery)
	results := make(chan attempted, concurrency)
	var senders sync.WaitGroup
	for range min(concurrency, len(due)) {
		senders.Go(func() {
			for d := range todo {
				if !r.w.o.Now().Before(r.deadline) {
					continue // its sender was waiting for a slow receiver
				}
				results <- attempted{d, r.send(ctx, d, bodies[d.Seq])}
			}
		})
	}
	enough := make(chan struct{})
	go func() {
		defer close(results)
		defer senders.Wait()
		defer close(todo)
		for _, d := range due {
			if !r.w.o.Now().Before(r.deadline) {
				return
			}
			select {
			case todo <- d:
			case <-enough:
				return
			case <-ctx.Done():
				return
			}
		}
	}()

	var outcomes []Outcome
	var failed error
	stopped := false
	for a := range results {
		if ctx.Err() != nil && !a.result.OK() {
			continue // the worker cancelled it: not a failure of the receiver
		}
		outcomes = append(outcomes, r.outcome(a))
		if r.stop && !stopped {
			close(enough)
			stopped = true
		}
		if len(outcomes) >= recordBatch && failed == nil {
			failed = r.record(ctx, outcomes)
			outcomes = outcomes[:0]
		}
	}
	if failed != nil {
		return failed
	}
	return r.record(ctx, outcomes)
}

type attempted struct {
	delivery Delivery
	result   Result
}

func (r *run) send(ctx context.Context, d Delivery, body []byte) Result {
	if body == nil {
		return Result{Reason: Reason{EventLost, strconv.FormatInt(d.Seq, 10)}}
	}
	return r.w.o.Sender.Send(ctx, Message{
		URL: r.endpoint.URL, ID: d.ID, At: r.w.o.Now(), Body: body, Secrets: r.secrets,
	})
}

// outcome decides what an attempt means for the delivery and for the endpoint.
func (r *run) outcome(a attempted) Outcome {
	now, result := r.w.o.Now(), a.result
	o := a.delivery
	o.Attempts++
	o.AttemptedAt, o.Took = now, result.Took
	o.Status, o.Response, o.Error = result.Status, result.Response, Reason{}
	label := "failed"
	switch next, again := Next(o.Attempts, now, result.RetryAfter, r.w.o.Jitter()); {
	case result.OK():
		label, o.State = "delivered", Delivered
	case result.Gone():
		label, o.State = "gone", Exhausted
		r.disable, r.stop = timedReason(AnsweredGone, now), true
	case again:
		o.State, o.NextAt = Pending, next
	default:
		o.State = Exhausted
	}
	if result.TimedOut && !result.OK() {
		label = "timeout"
	}
	if r.w.o.Attempted != nil {
		r.w.o.Attempted(label, result.Took)
	}
	r.health.Slow = r.health.Slow || result.TimedOut
	if result.OK() {
		r.failures, r.health.FailingSince = 0, time.Time{}
		return o
	}
	o.Error = failure(result)
	r.failed(now)
	return o
}

// failed counts a failure of the endpoint, and decides whether the run ends and the endpoint is disabled.
func (r *run) failed(now time.Time) {
	r.failures++
	if r.health.FailingSince.IsZero() {
		r.health.FailingSince = now
	}
	if now.Sub(r.health.FailingSince) >= FailingLimit && !r.stop {
		r.disable = timedReason(AllFailed, r.health.FailingSince)
		r.stop = true
	}
	if r.failures >= maxFailures {
		r.stop = true
	}
}

func failure(r Result) Reason {
	if r.Reason != (Reason{}) {
		return r.Reason
	}
	return Reason{Answered, fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status))}
}

// record stores outcomes and extends the claim, even after ctx is cancelled.
func (r *run) record(ctx context.Context, outcomes []Outcome) error {
	if len(outcomes) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return r.w.o.Store.Record(ctx, r.endpoint.ID, outcomes, r.health, r.w.o.Now().Add(r.w.o.Lease))
}
