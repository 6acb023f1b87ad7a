package webhook

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// A run is one job's work on one endpoint.
type run struct {
	w        *Worker
	endpoint Endpoint
	claim    int64
	secrets  []Secret
	ends     time.Time // when it takes up nothing more

	health   Health
	row      int    // failures since the last success
	finished string // why the endpoint is to be disabled
	stop     bool
}

// deliver works on an endpoint until there is nothing to do for now, or its time is
// up.
func (w *Worker) deliver(ctx context.Context, job Deliver) error {
	now := w.o.Now()
	e, ok, err := w.o.Store.Start(ctx, job.Endpoint, job.Claim, now.Add(w.o.Lease))
	if err != nil || !ok {
		return err
	}
	secrets, skipped, err := w.o.Box.secrets(e, now)
	if err != nil {
		return w.leave(ctx, e, job.Claim)
	}
	if err := w.readable(ctx, e, skipped); err != nil {
		return err
	}
	r := &run{w: w, endpoint: e, claim: job.Claim, secrets: secrets, ends: now.Add(runFor), health: Health{Failing: e.Failing}}
	for !r.stop && ctx.Err() == nil && w.o.Now().Before(r.ends) {
		again, err := r.next(ctx)
		if err != nil {
			return err // the claim runs out, and the sweep tries again
		}
		if !again {
			break
		}
	}
	// What was learnt holds even when the worker is being stopped.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	wait := time.Time{}
	if r.row >= failuresEnd {
		wait = w.o.Now().Add(failuresWait)
	}
	if r.finished != "" {
		w.o.Logger.Warn("endpoint disabled", "endpoint", e.ID, "reason", r.finished)
		return w.o.Store.Disable(ctx, e.ID, r.finished, w.o.Now())
	}
	return w.o.Store.Release(ctx, e.ID, job.Claim, wait)
}

// next attempts what is due, or makes deliveries out of the log when nothing is. It
// reports whether there may be more.
func (r *run) next(ctx context.Context) (again bool, err error) {
	store := r.w.o.Store
	due, err := store.Due(ctx, r.endpoint.ID, r.w.o.Now(), batch)
	if err != nil {
		return false, err
	}
	if len(due) == 0 {
		made, more, err := store.Advance(ctx, r.endpoint.ID, r.w.o.Now(), readAhead, mostPending)
		return made > 0 || more, err
	}
	bodies, err := r.w.events.bodies(ctx, due)
	if err != nil {
		return false, err
	}
	return true, r.attempt(ctx, due, bodies)
}

// attempt sends the deliveries, a few at a time, and writes down what came of them as
// it goes: a crash repeats no more than what was not written down yet.
func (r *run) attempt(ctx context.Context, due []Delivery, bodies map[int64][]byte) error {
	todo := make(chan Delivery)
	results := make(chan attempted, perEndpoint)
	var senders sync.WaitGroup
	for range min(perEndpoint, len(due)) {
		senders.Go(func() {
			for d := range todo {
				if !r.w.o.Now().Before(r.ends) {
					continue // it was handed over while its sender waited for a slow receiver
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
			if !r.w.o.Now().Before(r.ends) {
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
	told := false
	for a := range results {
		if ctx.Err() != nil && !a.result.OK() {
			continue // we hung up, not the receiver
		}
		outcomes = append(outcomes, r.judge(a))
		if r.stop && !told {
			close(enough)
			told = true
		}
		if len(outcomes) >= recordEvery && failed == nil {
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
		return Result{Err: fmt.Errorf("event %d is not in the log any more", d.Seq)}
	}
	return r.w.o.Sender.Send(ctx, Message{URL: r.endpoint.URL, ID: d.ID, At: r.w.o.Now(), Body: body, Secrets: r.secrets})
}

// judge says what an attempt means for the delivery and for the endpoint.
func (r *run) judge(a attempted) Outcome {
	now, result := r.w.o.Now(), a.result
	o := a.delivery
	o.Attempts++
	o.Done, o.Status, o.Response, o.Took, o.Error = now, result.Status, result.Response, result.Took, ""
	outcome := "failed"
	switch next, again := Next(o.Attempts, now, result.RetryAfter, r.w.o.Jitter()); {
	case result.OK():
		outcome, o.State = "delivered", Delivered
	case result.Gone():
		outcome, o.State = "gone", Exhausted
		r.finished, r.stop = "the receiver answered 410 Gone at "+now.UTC().Format(time.RFC3339), true
	case again:
		o.State, o.NextAt = Pending, next
	default:
		o.State = Exhausted
	}
	if result.TimedOut && !result.OK() {
		outcome = "timeout"
	}
	if r.w.o.Attempted != nil {
		r.w.o.Attempted(outcome, result.Took)
	}
	r.health.Slow = r.health.Slow || result.TimedOut
	if result.OK() {
		r.row, r.health.Failing = 0, time.Time{}
		return o
	}
	o.Error = failure(result)
	r.row++
	if r.health.Failing.IsZero() {
		r.health.Failing = now
	}
	if now.Sub(r.health.Failing) >= FailingLimit && !r.stop {
		r.finished = "every attempt has failed since " + r.health.Failing.UTC().Format(time.RFC3339)
		r.stop = true
	}
	if r.row >= failuresEnd {
		r.stop = true
	}
	return o
}

func failure(r Result) string {
	if r.Err != nil {
		return r.Err.Error()
	}
	return fmt.Sprintf("the receiver answered %d %s", r.Status, http.StatusText(r.Status))
}

// record writes outcomes down, even when the worker is being stopped.
func (r *run) record(ctx context.Context, outcomes []Outcome) error {
	if len(outcomes) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return r.w.o.Store.Record(ctx, r.endpoint.ID, outcomes, r.health, r.w.o.Now().Add(r.w.o.Lease))
}
