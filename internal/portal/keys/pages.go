package keys

import (
	"context"
	"embed"
	"net/http"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/quota"
)

// Templates are those of the pages of keys and of usage.
//
//go:embed templates
var Templates embed.FS

// Pages are those of keys.
type Pages struct {
	Accounts *account.Service
	Usage    UsageReader  // nil where usage is not counted
	API      http.Handler // the JSON interface, for a first call without JavaScript; nil where it is elsewhere
	BaseURL  string       // the service's own address, without a slash at its end
}

// A UsageReader reads what an account used in the last 30 days.
type UsageReader interface {
	Read(ctx context.Context, account string) ([]quota.DayUsage, error)
}

// UsagePage shows what an account used.
type UsagePage struct {
	Accounts *account.Service
	Usage    UsageReader // nil where usage is not counted
	Mail     bool        // mail is sent
}
