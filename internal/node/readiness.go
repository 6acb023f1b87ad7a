package node

import (
	"errors"

	"github.com/palmares-hq/palmares/internal/surface"
)

// readiness says whether a node is ready and, when it is, what does not work all the same.
//
// Where there are surfaces they alone decide, so that no request is refused because something
// else waits; then jobs that do not run are told of. A node without a surface is ready when its
// jobs run. Engines that do not answer are told of by every node.
func readiness(surfaces []surface.Surface, jobs, engines func() error, draining func() bool) (ready, impaired func() error) {
	jobs = orBehind(jobs)
	if len(surfaces) == 0 {
		return jobs, engines
	}
	return orBehind(func() error {
		if draining() {
			return errors.New("draining: this node is about to stop")
		}
		var why []error
		for _, s := range surfaces {
			if s.Ready != nil {
				why = append(why, s.Ready())
			}
		}
		return errors.Join(why...)
	}), func() error { return errors.Join(jobs(), engines()) }
}

// orBehind says that the database is to be migrated, and nothing else, when that is why.
func orBehind(why func() error) func() error {
	return func() error {
		err := why()
		if todo, ok := behind(err); ok {
			return todo
		}
		return err
	}
}
