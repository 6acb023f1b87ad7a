package keys

import (
	"context"
	"embed"
	"net/http"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/quota"
)

// Templates are the templates of the pages of keys and usage.
//
//go:embed templates
var Templates embed.FS

// Pages has the handlers of the pages of keys.
type Pages struct {
	Accounts *account.Service
	Usage    UsageReader  // nil where usage is not counted
	API      http.Handler // the JSON API, for a first call without JavaScript; nil if another process serves it
	BaseURL  string       // the service's own address, without a slash at its end
}

// A UsageReader reads what an account used in the last 30 days.
type UsageReader interface {
	Read(ctx context.Context, account string) ([]quota.DayUsage, error)
}

// UsagePage has the handlers of the usage page.
type UsagePage struct {
	Accounts *account.Service
	Usage    UsageReader // nil where usage is not counted
	Mail     bool        // mail is sent
}
