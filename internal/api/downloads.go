package api

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/web/negotiate"
)

// The limits on one caller's concurrent downloads. All requests share the bytes of a file, so a download costs only a
// socket and its kernel buffers; without a limit one client could take all sockets and read slowly. The limit of the
// node, and what it reserves for better plans, is in account.Limits.
const (
	placesOfOne  = 8  // for an account, or for an IPv4 address or IPv6 /64 without a key
	placesOfSite = 32 // for an IPv6 /48 without a key
)

// FreeIdentifiers is how often a site (limit.Site) downloads the table of identifiers without being charged: programs in
// CI recognise tools by it, on machines whose address hundreds of others share. A file that is sent uncompressed is
// always charged.
var FreeIdentifiers = limit.Limit{Name: "identifiers", Most: 12, Within: time.Hour}

// DownloadRefusals returns the reasons that Options.DownloadRefused is called with: "client" when the client has too
// many downloads, "node" when the node has.
func DownloadRefusals() []string { return []string{refusedClient, refusedNode} }

const (
	refusedClient = "client"
	refusedNode   = "node"
)

// placesOf returns the limits that a download counts against. The caller's own come first, so that a caller at its own
// limit is told so even when the node is full too.
func placesOf(c Caller, addr netip.Addr) []limit.Share {
	shares := limit.ClientShares(addr, placesOfOne, placesOfSite)
	if c.Account != "" {
		shares = []limit.Share{{Of: c.Account, Most: placesOfOne}}
	}
	for _, plan := range account.Plans() {
		if plan >= c.Plan { // the rest is reserved for better plans
			shares = append(shares, limit.Share{Of: plan, Most: plan.Limits().Downloads, Common: true})
		}
	}
	return shares
}

// respondFile returns the response that downloads a file.
func respondFile(m *export.Artifact) *web.Response {
	r := web.NewPacked(m.Format.ContentType(), m.Tag, m.Size, m.Gzip, fileFields(m.Name(), m.Cursor)...)
	addLicense(r, m.Service.License)
	return r
}

// file returns the file that a request to the route asks for.
func (rt *route) file(slug string) (export.File, bool) {
	if rt.pattern == embeddingsFile {
		return export.Embeddings, true
	}
	return export.Find(slug)
}

// getFile answers a GET of a file. Package export makes files in the background: only the very first request for one
// waits. A download holds a place in the gate while the client reads the body; one refused a place is not charged.
func (a *API) getFile(r *request) error {
	f, known := r.route.file(r.slug)
	free := f.Table == export.Identifiers && known && r.mayBeFree()
	if r.exhausted() && !free {
		return a.getFileOverQuota(r, f)
	}
	if !known {
		if !r.count() {
			return r.overQuota(r.w)
		}
		r.setHeaders(r.w)
		return web.Errorf(http.StatusNotFound, "there is no file %s: %s lists them",
			web.Quote(r.slug), a.baseURL+exportPath+"/"+export.PackageName).WithCode(web.CodeUnknown)
	}
	made, err := a.find(r, f)
	if err != nil {
		return err
	}
	resp := respondFile(made)
	r.cache.source.addTags(resp, query{route: r.route})
	choice := resp.Choose(r.Header, nil)
	if choice.Match == web.NoMatch && r.Method == http.MethodGet {
		leave, err := a.downloads.Enter(placesOf(r.caller, web.ClientAddr(r.w))...)
		if err != nil {
			return a.noPlace(err)
		}
		defer leave()
	}
	if free = free && choice.Match == web.NoMatch && r.takeFree(); !free && choice.Match != web.MatchTag && !r.count() {
		return r.overQuota(r.w)
	}
	r.setHeaders(r.w)
	web.SetFields(r.w, editionHeaders(made.Edition, made.Service, vary)...)
	web.SetFields(r.w, r.keepFile(made))
	if err := choice.Stream(r.w, r.Request, a.pace); err != nil {
		web.SetError(r.w, err)
	}
	return nil
}

// mayBeFree reports whether the caller has a quota, accepts gzip and, as far as this node knows, comes from a site that
// has free downloads of identifiers left. It counts nothing, and asks nobody.
func (r *request) mayBeFree() bool {
	if !r.limited || negotiate.MatchAnyETag(r.Header["If-None-Match"]) {
		return false
	}
	if negotiate.ParseAccepted(r.Header["Accept-Encoding"]).Without(negotiate.Zstd).Best() != negotiate.Gzip {
		return false
	}
	return !r.meter.Exhausted(r.meter.Site(FreeIdentifiers, web.ClientAddr(r.w)), FreeIdentifiers.Most)
}

// takeFree takes one of the free downloads of the caller's site, and reports whether there was one.
func (r *request) takeFree() bool {
	return r.meter.Charge(r.meter.Site(FreeIdentifiers, web.ClientAddr(r.w)), FreeIdentifiers.Most).Allowed
}

// keepFile returns the Cache-Control of a file. Shared caches may not store one of an earlier edition: the file of the
// current edition will soon replace it.
func (r *request) keepFile(m *export.Artifact) web.Field {
	if m.Edition.Number != r.cache.source.Edition().Number {
		return cachePrivate
	}
	return r.caller.cacheControl()
}

// find returns a file of the current edition, or of an earlier one while the current one is being made. Its error is
// the response: a 503 before the first edition, or when the file cannot be had in time.
func (a *API) find(r *request, f export.File) (*export.Artifact, error) {
	if r.cache.source.Edition().Number == 0 {
		return nil, notLoaded()
	}
	ctx, cancel := context.WithTimeout(r.Context(), firstWait)
	defer cancel()
	made, err := a.files.Get(ctx, f)
	switch {
	case err == nil:
		return made, nil
	case r.Context().Err() != nil:
		return nil, r.Context().Err()
	default:
		return nil, retryLater(web.CodeUnavailable, "this file is not made yet: try again in a moment", err)
	}
}

// noPlace returns the 503 for a download that the gate refused, and reports the refusal. It is not charged.
func (a *API) noPlace(err error) error {
	if errors.Is(err, limit.ErrShare) {
		a.downloadRefused(refusedClient)
		return retryLater(web.CodeBusy, "your network or account downloads as many files as it may at once: try again when one of them is there", err)
	}
	a.downloadRefused(refusedNode)
	return retryLater(web.CodeBusy, "too many files are being downloaded at the moment: try again shortly", err)
}

// getFileOverQuota answers a caller whose quota is used up: 304 if the client names the tag of the file that is
// cached, else 429. It never makes a file.
func (a *API) getFileOverQuota(r *request, f export.File) error {
	made := a.files.Peek(f)
	if tags := r.Header["If-None-Match"]; made == nil || len(tags) == 0 || negotiate.MatchAnyETag(tags) {
		return r.overQuota(r.w)
	}
	choice := respondFile(made).Match(r.Header)
	if choice.Match != web.MatchTag {
		return r.overQuota(r.w)
	}
	r.setHeaders(r.w)
	web.SetFields(r.w, editionHeaders(made.Edition, made.Service, vary)...)
	web.SetFields(r.w, r.keepFile(made))
	choice.Write(r.w, r.Request)
	return nil
}
