package site

import (
	"context"
	"net/netip"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/report"
	"github.com/palmares-hq/palmares/internal/site/about"
	"github.com/palmares-hq/palmares/internal/site/docs"
)

// Catalog gives the snapshot to answer from.
type Catalog interface {
	Current() *catalog.Snapshot
}

// Reports take what readers say is wrong.
type Reports interface {
	Send(ctx context.Context, from netip.Addr, d report.Draft) error
}

// Options say what the site stands on. Catalog, API and MCP are required.
type Options struct {
	Catalog Catalog
	API     docs.API             // what the reference says of the API
	MCP     docs.MCP             // what the page about agents says of the server that they ask
	BaseURL string               // the site's own address, without a slash at its end; "" is the catalog's
	Files   *export.Keeper       // of the files that can be downloaded; nil where there are none
	Contact string               // the e-mail address that errors are reported to; "" names none
	Now     func() time.Time     // time.Now when nil
	Cache   int                  // bytes of cached pages and pictures, 64 MiB when 0
	Preview *Preview             // what editors see of their files; nil for readers
	Privacy about.PrivacyFacts   // what the page about privacy says of the program
	Status  about.StatusSources  // where the page about the status has its figures from
	Reports Reports              // take what readers say is wrong; nil where nobody does
	Sent    func(outcome string) // counts what became of a form, one of Outcomes; nil counts nothing
	// Tags says that a cache in front is told what editions change: pages say what they show.
	Tags bool
	// Accounts says that there are account pages.
	Accounts bool
	// Closed says that nobody can sign up: the operator creates accounts.
	Closed bool
	// Checkout says that Pro is bought on the account pages. Without it the operator sets plans.
	Checkout bool
	// Subdomains says that every name below that of BaseURL has https, too.
	Subdomains bool
}
