package checkout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lockEvery is how often a waiting process tries to take the lock.
const lockEvery = 50 * time.Millisecond

// lock locks a file, and waits while another process has it locked, until ctx is done. The kernel releases the lock
// when the process ends.
func lock(ctx context.Context, path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return f.Close, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("another publisher is at work in the same folder: %w", context.Cause(ctx)), f.Close())
		case <-time.After(lockEvery):
		}
	}
}
