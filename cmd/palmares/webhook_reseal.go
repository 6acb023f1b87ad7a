package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/palmares-hq/palmares/internal/services"
)

type webhookReseal struct {
	Force bool `help:"Use PALMARES_SECRET from now on, even though it opens nothing: the previous one is lost."`
}

// Help is shown by palmares webhook reseal --help.
func (webhookReseal) Help() string {
	return `The secrets of endpoints are sealed with PALMARES_SECRET. To change it, give all nodes
the new one, and the previous one as PALMARES_SECRET_PREVIOUS; run this command with both; then
remove PALMARES_SECRET_PREVIOUS. Nodes may keep running.

An old secret of a rotation that cannot be opened is dropped. An endpoint whose current secret
cannot be opened stays as it is: its events wait until palmares webhook rotate gives it another
secret. If there is one, the exit status is 1.`
}

func (c *webhookReseal) Run(ctx context.Context, con *console) error {
	return withSecret(ctx, func(s *services.Services) error {
		done, err := s.Reseal(ctx, c.Force)
		if err != nil {
			if done.Changed > 0 {
				err = fmt.Errorf("%s resealed, others are not: run it again (%w)", counted(done.Changed, "endpoint is", "endpoints are"), err)
			}
			return err
		}
		sealed := done.Endpoints - len(done.Unreadable)
		fmt.Fprintf(con.err, "%d of %s sealed with PALMARES_SECRET, %d of them anew\n",
			sealed, counted(done.Endpoints, "endpoint is", "endpoints are"), done.Changed)
		if len(done.Dropped) > 0 {
			fmt.Fprintf(con.err, "the old secrets of these could not be opened, and no longer sign: %s\n",
				strings.Join(done.Dropped, " "))
		}
		if len(done.Unreadable) == 0 {
			fmt.Fprintln(con.err, "PALMARES_SECRET_PREVIOUS is no longer needed")
			return nil
		}
		fmt.Fprintf(con.err, "the secrets of these cannot be opened: palmares webhook rotate, "+
			"or set the PALMARES_SECRET_PREVIOUS that sealed them: %s\n", strings.Join(done.Unreadable, " "))
		return errReported
	})
}
