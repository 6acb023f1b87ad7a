package billing

import (
	"context"
	"time"
)

const forgedEvery = time.Hour

// forged counts an event that is not the provider's, and passes errors on. The log tells of the first, and then of one an
// hour.
func (s *Service) forged(err error) error {
	if err == nil {
		return nil
	}
	s.o.Count(CountForged)
	now, f := s.o.Now(), &s.forgeries
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unkept++
	f.last = now
	if f.said.IsZero() || now.Sub(f.said) >= forgedEvery {
		f.said = now
		s.o.Logger.Warn("an event was refused that the payment provider did not sign: if its deliveries fail, the signing secret is wrong, "+
			"and whoever pays waits for Pro; palmares billing check asks it", "error", err)
	}
	return err
}

// KeepForged stores how many events were refused since the last call. Call it every minute: each alone costs no more than
// its signature.
func (s *Service) KeepForged(ctx context.Context) error {
	f := &s.forgeries
	f.mu.Lock()
	n, last := f.unkept, f.last
	f.unkept = 0
	f.mu.Unlock()
	if n == 0 {
		return nil
	}
	err := s.o.Store.AddForged(ctx, n, last)
	if err != nil {
		f.mu.Lock()
		f.unkept += n
		f.mu.Unlock()
	}
	return err
}
