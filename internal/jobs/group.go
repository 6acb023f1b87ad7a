// Package jobs runs the jobs of all packages on one River client for as long as a node runs.
//
// A package describes its jobs as a Group: what it adds to River's configuration, whether its jobs may
// run here, what to sweep and to tidy. A Runner keeps the client running, leaves out groups whose jobs
// may not run, and reports whether jobs run. It reduces River's log to a line for each outage.
//
// The package knows no kind of job and no table.
package jobs

import (
	"context"
	"errors"

	"github.com/riverqueue/river"
)

// A Group describes the jobs of a package. Only Name and Add are required.
type Group struct {
	Name string              // in the log and in metrics
	Add  func(*river.Config) // adds its workers, queues and periodic jobs

	// Allowed returns whether the jobs may run on this node. It is called before River starts and
	// every second from then on. After a refusal (see Refuse) River runs without these jobs until
	// Allowed returns something else; any other error means that it is unknown.
	Allowed func(context.Context) error
	// PutOff replaces Add while the jobs may not run. It adds workers that postpone the group's
	// jobs in the default queue: River takes those from there with the jobs of other groups, and
	// would give them up if they had no worker.
	PutOff func(*river.Config)
	// Sweep finds work that has no job yet. It runs every second.
	Sweep func(context.Context) error
	// Tidy deletes old rows. It runs every hour.
	Tidy func(context.Context) error
	// Wait waits for work that goes on after its job has ended.
	Wait func()
	// Remote has the kinds of jobs that talk to other servers than the database: their errors say
	// nothing about the database.
	Remote []string
}

// Refuse wraps an error for Allowed to return, to say that the jobs must not run.
func Refuse(err error) error { return refusal{err} }

type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

func refused(err error) bool {
	var r refusal
	return errors.As(err, &r)
}

// SweepNames returns the names of the groups that have a sweep.
func SweepNames(groups []Group) (names []string) {
	for _, g := range groups {
		if g.Sweep != nil {
			names = append(names, g.Name)
		}
	}
	return names
}
