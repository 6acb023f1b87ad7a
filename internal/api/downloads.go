package api

import (
	"context"
	"errors"
	"net/http"
	"net/netip"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/web/negotiate"
)

// How many places for downloads one caller has. Files are bytes that all requests share, so a place costs a socket and what
// the kernel holds of it; they are bounded because somebody could take all of them and read slowly. How many there are, and
// for whom some are kept, is in account.Limits.
const (
	placesOfOne  = 8  // for an account, or for an IPv4 address or IPv6 /64 without a key
	placesOfSite = 32 // for an IPv6 /48 without a key
)

// DownloadRefusals are all that Options.DownloadRefused is called with: the client has its places, or the node has none.
func DownloadRefusals() []string { return []string{refusedClient, refusedNode} }

const (
	refusedClient = "client"
	refusedNode   = "node"
)

// placesOf are the shares of places that a caller's download counts in, its own first: whoever has his share is refused
// for that, also where no place is left.
func placesOf(c Caller, addr netip.Addr) []web.Share {
	shares := web.ClientShares(addr, placesOfOne, placesOfSite)
	if c.Account != "" {
		shares = []web.Share{{Of: c.Account, Most: placesOfOne}}
	}
	for _, plan := range account.Plans() {
		if plan >= c.Plan { // so many are left to better plans
			shares = append(shares, web.Share{Of: plan, Most: plan.Limits().Downloads, Common: true})
		}
	}
	return shares
}

// respondFile makes the response of a file.
func respondFile(m *export.Made) *web.Response {
	r := web.NewPacked(m.Format.ContentType(), m.Tag, m.Size, m.Gzip, fileFields(m.Name(), m.Cursor)...)
	addLicense(r, m.Service.License)
	return r
}

// file is the one that a request to the route asks for.
func (rt *route) file(slug string) (export.File, bool) {
	if rt.pattern == embeddingsFile {
		return export.Embeddings, true
	}
	return export.Find(slug)
}

// getFile is GET of a file. It is made elsewhere: at most, the very first request for it waits. A place is
// taken for as long as the client takes the body, and without one nothing is charged.
func (a *API) getFile(r *request) error {
	f, known := r.route.file(r.slug)
	if r.exhausted() {
		return a.getFileOverQuota(r, f)
	}
	if !known {
		if !r.count() {
			return r.overQuota(r.w)
		}
		r.setHeaders(r.w)
		return web.Errorf(http.StatusNotFound, "there is no file %s: %s lists them",
			web.Quote(r.slug), a.baseURL+exportPath+"/"+export.PackageName)
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
	if choice.Match != web.MatchTag && !r.count() {
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

// keepFile lets shared caches keep a file, unless it is of an edition before: the next one is about to be there.
func (r *request) keepFile(m *export.Made) web.Field {
	if m.Edition.Number != r.cache.source.Edition().Number {
		return cachePrivate
	}
	return r.caller.cacheControl()
}

// find gives a file, of the edition that is served or the one before.
func (a *API) find(r *request, f export.File) (*export.Made, error) {
	if r.cache.source.Edition().Number == 0 {
		return nil, retryLater("no catalogue is loaded yet: try again in a moment", nil)
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
		return nil, retryLater("this file is not made yet: try again in a moment", err)
	}
}

// noPlace is the response to a client for which there is no place. It costs nothing.
func (a *API) noPlace(err error) error {
	if errors.Is(err, web.ErrShareFull) {
		a.downloadRefused(refusedClient)
		return retryLater("your network or account downloads as many files as it may at once: try again when one of them is there", err)
	}
	a.downloadRefused(refusedNode)
	return retryLater("too many files are being downloaded at the moment: try again shortly", err)
}

// getFileOverQuota answers a request for a file whose quota is used up: a tag that the client names is compared
// with what is kept.
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
