package billing

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// refusals remembers when the log last told of one: a key that is wrong is refused with every click.
type refusals struct {
	mu   sync.Mutex
	said time.Time
}

const refusalEvery = time.Minute

// refused counts a refusal of the provider, and passes errors on.
func (s *Service) refused(err error) error {
	if !errors.Is(err, ErrRefused) {
		return err
	}
	s.o.Count(CountRefused)
	s.refusals.mu.Lock()
	defer s.refusals.mu.Unlock()
	if now := s.o.Now(); now.Sub(s.refusals.said) >= refusalEvery {
		s.refusals.said = now
		s.o.Logger.Error("the payment provider refuses what it was asked: see the key, its permissions and the portal's settings",
			"error", err)
	}
	return err
}

// hold is Store.Hold for who asks the provider meanwhile.
func (s *Service) hold(ctx context.Context, by account.Actor, accountID string, wait time.Duration, decide Decide) error {
	return s.refused(s.o.Store.Hold(ctx, by, accountID, wait, decide))
}
