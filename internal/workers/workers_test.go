package workers

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A mail that is to be sent later, or by a node that has another secret, is put off, by a second at least;
// any other error is a failure.
func TestSnoozed(t *testing.T) {
	t.Parallel()
	failed := errors.New("the mail server is away")
	for name, tt := range map[string]struct {
		err     error
		counted int
		least   time.Duration // 0: it is not put off
	}{
		"sent":           {nil, 0, 0},
		"failed":         {failed, 0, 0},
		"later":          {&account.LaterError{After: time.Minute}, 1, time.Minute},
		"soon":           {&account.LaterError{}, 1, time.Second},
		"another secret": {fmt.Errorf("a token: %w", account.ErrOtherSecret), 0, time.Second},
		"another seal":   {account.ErrSealed, 0, time.Second},
	} {
		counted := 0
		got := snoozed(tt.err, func() { counted++ })
		snooze, put := errors.AsType[*river.JobSnoozeError](got)
		switch {
		case counted != tt.counted:
			t.Errorf("%s: counted %d times", name, counted)
		case put != (tt.least > 0) || put && (snooze.Duration < tt.least || snooze.Duration > tt.least+3*time.Second):
			t.Errorf("%s: %v", name, got)
		case !put && !errors.Is(got, tt.err):
			t.Errorf("%s: the error is %v", name, got)
		}
	}
}

// A node with another secret than the database's sends no mail about usage: nobody could follow the link that
// ends such mail.
func TestUsage_WaitsForTheSecret(t *testing.T) {
	t.Parallel()
	s := &usageSender{mayDerive: func(context.Context) error { return account.ErrOtherSecret }} // a mail would need more
	err := s.Work(t.Context(), &river.Job[account.UsageNotice]{})
	if _, put := errors.AsType[*river.JobSnoozeError](err); !put {
		t.Errorf("it is not put off: %v", err)
	}
}

// Of failures the first is told at once, and how many there were every five minutes from then on, whatever succeeds between.
func TestFailures_AreToldSeldom(t *testing.T) {
	t.Parallel()
	var f failures
	begin := time.Now()
	told := make(map[time.Duration]int)
	for after := time.Duration(0); after < 12*time.Minute; after += time.Second {
		if n, say := f.add(begin.Add(after)); say {
			told[after] = n
		}
	}
	testkit.Equal(t, "told", told, map[time.Duration]int{0: 1, 5 * time.Minute: 300, 10 * time.Minute: 300})
}
