package billing

import (
	"errors"
	"sync"
	"time"
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
	what, says := CountRefused, "the payment provider refuses what it was asked: see the key, its permissions and the portal's settings"
	if errors.Is(err, ErrOtherAccount) {
		what, says = CountOtherAccount, "nothing is sold, and the payment provider is asked nothing: the key is not one of the account that "+
			"the customers are of; palmares billing adopt moves them on purpose"
	}
	s.o.Count(what)
	s.refusals.mu.Lock()
	defer s.refusals.mu.Unlock()
	if now := s.o.Now(); now.Sub(s.refusals.said) >= refusalEvery {
		s.refusals.said = now
		s.o.Logger.Error(says, "error", err)
	}
	return err
}
