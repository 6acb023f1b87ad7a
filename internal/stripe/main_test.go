package stripe_test

import (
	"fmt"
	"net/http"
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
	if code != 0 || len(made.requests())+len(setUps.requests()) == 0 {
		return code
	}
	for _, call := range append(undocumented(made.requests(), nodesKey), undocumented(setUps.requests(), nodesKey+"|"+setUpKey)...) {
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
	shapes, complaints := mock.replay(slices.Concat(made.requests(), setUps.requests(), called.taken()))
	fmt.Printf("%d shapes of requests replayed against stripe-mock\n", shapes)
	for _, c := range complaints {
		fmt.Println("stripe-mock:", c)
		code = 1
	}
	return code
}

// anyID is an id in the path of a request.
var anyID = regexp.MustCompile(`/(cus|price|prod|cs_test|sub|in|txi|bpc|we|ch|pm|cn)_[^/]+`)

// The sections of docs/operations/billing.md that say which requests a key needs permissions for.
const (
	nodesKey = "### The nodes' key"
	setUpKey = "### The key for the set-up"
)

// undocumented returns the requests that are not in the tables of permissions of these sections.
func undocumented(requests []stripefake.Request, sections string) (missing []string) {
	guide, err := os.ReadFile("../../docs/operations/billing.md")
	if err != nil {
		return []string{err.Error()}
	}
	var table strings.Builder
	for section := range strings.SplitSeq(sections, "|") {
		_, text, _ := strings.Cut(string(guide), "\n"+section+"\n")
		text, _, _ = strings.Cut(text, "\n##")
		table.WriteString(text)
	}
	for _, r := range requests {
		call := r.Method + " " + anyID.ReplaceAllString(r.Path, "/{id}")
		if !strings.Contains(table.String(), "`"+call+"`") && !slices.Contains(missing, call) {
			missing = append(missing, call)
		}
	}
	return missing
}

// made are the stand-ins that package stripe calls in tests, setUps those at which it makes the set-up too, and called those
// that tests call themselves.
var made, setUps, called servers

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

// taken are the requests that were not refused: stripe-mock has no state to refuse them by.
func (s *servers) taken() []stripefake.Request {
	return slices.DeleteFunc(s.requests(), func(r stripefake.Request) bool { return r.Status != http.StatusOK })
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
