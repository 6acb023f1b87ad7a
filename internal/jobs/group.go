package jobs

import (
	"context"
	"errors"

	"github.com/riverqueue/river"
)

// A Group is what a package has River do for it. Only Name and Add are required.
type Group struct {
	Name string              // in the log and in metrics
	Add  func(*river.Config) // adds its workers, queues and periodic jobs

	// Allowed says whether the jobs may run on this node. It is asked before River starts and
	// every second from then on. After a refusal (Refuse) River runs without these jobs until Allowed
	// says otherwise; any other error means that nobody knows.
	Allowed func(context.Context) error
	// PutOff adds, in the place of Add while the jobs may not run, workers that put off those of them
	// that are in the default queue: River takes them from there with the jobs of other groups, and
	// gives up jobs that it has no worker for.
	PutOff func(*river.Config)
	// Sweep finds work that no job is at. It runs every second.
	Sweep func(context.Context) error
	// Tidy deletes what is old. It runs every hour.
	Tidy func(context.Context) error
	// Wait waits for work that goes on after its job has ended.
	Wait func()
	// Remote names the kinds of jobs that talk to other servers than the database: their
	// errors say nothing about it.
	Remote []string
}

// Refuse makes an error with which the jobs of a group must not run.
func Refuse(err error) error { return refusal{err} }

type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

func refused(err error) bool {
	var r refusal
	return errors.As(err, &r)
}

// SweepNames are the names of the groups that have a sweep.
func SweepNames(groups []Group) (names []string) {
	for _, g := range groups {
		if g.Sweep != nil {
			names = append(names, g.Name)
		}
	}
	return names
}
