package stripe_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/stripe"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/stripetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(replaying{m}) }

// replaying runs the tests, and then every request that they made once more, against stripe-mock:
// what the stand-in takes and answers must be Stripe's.
type replaying struct{ *testing.M }

func (r replaying) Run() int {
	code := r.M.Run()
	if code != 0 || len(made.requests()) == 0 {
		return code
	}
	for _, call := range undocumented(made.requests()) {
		fmt.Println("docs/operations/billing.md does not say which permission this needs:", call)
		code = 1
	}
	mock, err := startMock()
	if err != nil {
		fmt.Println("not replayed against stripe-mock:", err)
		if os.Getenv("CI") == "true" {
			return 1
		}
		return code
	}
	defer mock.stop()
	shapes, complaints := mock.replay(made.requests())
	fmt.Printf("%d shapes of requests replayed against stripe-mock\n", shapes)
	for _, c := range complaints {
		fmt.Println("stripe-mock:", c)
		code = 1
	}
	return code
}

// anyID is an id in the path of a request.
var anyID = regexp.MustCompile(`/(cus|price|prod|cs_test|sub|in|txi)_[^/]+`)

// undocumented returns the requests that are not in the table of permissions that a key needs.
func undocumented(requests []stripefake.Request) (missing []string) {
	table, err := os.ReadFile("../../docs/operations/billing.md")
	if err != nil {
		return []string{err.Error()}
	}
	for _, r := range requests {
		call := r.Method + " " + anyID.ReplaceAllString(r.Path, "/{id}")
		if !strings.Contains(string(table), "`"+call+"`") && !slices.Contains(missing, call) {
			missing = append(missing, call)
		}
	}
	return missing
}

// made are the stand-ins of all tests.
var made servers

type servers struct {
	mu  sync.Mutex
	all []*stripefake.Server
}

func (s *servers) requests() (all []stripefake.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, server := range s.all {
		all = append(all, server.Requests()...)
	}
	return all
}

var noon = time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)

// newStripe gives a test a stand-in, the provider that talks to it, and their clock.
func newStripe(tb testing.TB) (*stripefake.Server, *stripe.Client, *testkit.Clock) {
	tb.Helper()
	return newStripeWith(tb, stripefake.Options{})
}

// newStripeWith is newStripe with a few options.
func newStripeWith(tb testing.TB, o stripefake.Options) (*stripefake.Server, *stripe.Client, *testkit.Clock) {
	tb.Helper()
	clock := testkit.NewClock(noon)
	o.Now = clock.Now
	fake := stripetest.New(tb, o)
	made.mu.Lock()
	defer made.mu.Unlock()
	made.all = append(made.all, fake)
	return fake, stripetest.Client(tb, fake), clock
}
