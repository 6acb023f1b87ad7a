package stripe

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"time"

	stripego "github.com/stripe/stripe-go/v86"
	"github.com/stripe/stripe-go/v86/form"

	"github.com/palmares-hq/palmares/internal/billing"
)

// pageSize is how many objects are asked for in one page of a list: the most that Stripe gives.
const pageSize = 100

// call makes a call with the library's types and backend. The library's own client would link all of
// Stripe's services into the binary, 10 MB of them: in a program whose templates call methods by name,
// as ours do, the linker keeps all methods of every type in use.
func (c *Client) call(
	ctx context.Context, method, path string, params stripego.ParamsContainer, answer stripego.LastResponseSetter,
) error {
	params.GetParams().Context = ctx
	return c.backend.Call(method, path, c.key, params, answer)
}

// A page is a part of a list.
type page[T any] struct {
	stripego.APIResource
	stripego.ListMeta
	Data []T `json:"data"`
}

// list iterates over a list, which it reads page by page. It retries a page that Stripe is unavailable for after each
// of the waits, and then ends with the error.
func list[T any](
	ctx context.Context, c *Client, path string, params stripego.ListParamsContainer, id func(T) string, waits ...time.Duration,
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		paging := params.GetListParams()
		paging.Limit = new(int64(pageSize))
		for more := true; more; {
			read, err := readPage[T](ctx, c, path, params)
			for _, wait := range waits {
				if err == nil || !errors.Is(explain("", err), billing.ErrUnavailable) || !sleep(ctx, wait) {
					break
				}
				read, err = readPage[T](ctx, c, path, params)
			}
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, found := range read.Data {
				if !yield(found, nil) {
					return
				}
			}
			if more = read.HasMore; more {
				paging.StartingAfter = new(id(read.Data[len(read.Data)-1]))
			}
		}
	}
}

// readPage reads one page of a list.
func readPage[T any](ctx context.Context, c *Client, path string, params stripego.ListParamsContainer) (read page[T], err error) {
	paging := params.GetListParams()
	paging.Context = ctx
	query := new(form.Values)
	form.AppendTo(query, params)
	err = c.backend.CallRaw(http.MethodGet, path, c.key, []byte(query.Encode()), paging.ToParams(), &read)
	if err = requireField(read.URL, err); err == nil && read.HasMore && len(read.Data) == 0 {
		err = errUnreadable
	}
	return read, err
}

// sleep waits, and reports whether the whole time passed before ctx was cancelled.
func sleep(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// firstPage reads the first page of a list, with at most limit objects.
func firstPage[T any](
	ctx context.Context, c *Client, path string, params stripego.ListParamsContainer, limit int,
) (read page[T], err error) {
	paging := params.GetListParams()
	paging.Context, paging.Limit = ctx, new(int64(limit))
	query := new(form.Values)
	form.AppendTo(query, params)
	err = c.backend.CallRaw(http.MethodGet, path, c.key, []byte(query.Encode()), paging.ToParams(), &read)
	return read, requireField(read.URL, err)
}
