package webhook

import (
	"context"
	"time"

	"github.com/riverqueue/river"
)

// AddJobs adds the worker's jobs and queues to the configuration of a River client. NotifyDisabled is not among them:
// the package that sends mail works it.
func (w *Worker) AddJobs(cfg *river.Config) {
	river.AddWorker(cfg.Workers, &fanOutWorker{w: w})
	river.AddWorker(cfg.Workers, &deliverWorker{w: w})
	cfg.Queues[Queue] = river.QueueConfig{MaxWorkers: w.o.Workers}
	cfg.Queues[SlowQueue] = river.QueueConfig{MaxWorkers: max(w.o.Workers/5, 1)}
}

// putOffFor is how long a job waits for a worker that has the secret of the database.
const putOffFor = 5 * time.Second

// PutOffJobs is AddJobs for a worker whose secret is wrong. It adds no queues. FanOut jobs are in the
// queue that all workers share, so it snoozes them until a worker with the right secret takes them.
func (w *Worker) PutOffJobs(cfg *river.Config) {
	river.AddWorker(cfg.Workers, river.WorkFunc(func(context.Context, *river.Job[FanOut]) error {
		return river.JobSnooze(putOffFor)
	}))
}

type fanOutWorker struct {
	river.WorkerDefaults[FanOut]
	w *Worker
}

// Work implements river.Worker.
func (f *fanOutWorker) Work(ctx context.Context, _ *river.Job[FanOut]) error {
	return f.w.Sweep(ctx)
}

type deliverWorker struct {
	river.WorkerDefaults[Deliver]
	w *Worker
}

// Work implements river.Worker. A receiver that keeps the run waiting does not occupy a worker slot
// for long: the job ends and the run goes on detached from it, protected by its claim.
func (d *deliverWorker) Work(ctx context.Context, job *river.Job[Deliver]) error {
	run, stop := context.WithTimeout(context.WithoutCancel(ctx), jobTimeout)
	cancelled := context.AfterFunc(ctx, stop) // River stops the job
	ended := make(chan error, 1)
	d.w.runs.Go(func() {
		defer stop()
		ended <- d.w.deliver(run, job.Args)
	})
	select {
	case err := <-ended:
		cancelled()
		return err
	case <-time.After(detachAfter):
	}
	select {
	case d.w.detached <- struct{}{}:
		cancelled()
		go func() { <-run.Done(); <-d.w.detached }()
		return nil
	default: // too many runs are detached: this one keeps its worker slot
		return <-ended
	}
}

// Timeout implements river.Worker.
func (*deliverWorker) Timeout(*river.Job[Deliver]) time.Duration { return jobTimeout }
