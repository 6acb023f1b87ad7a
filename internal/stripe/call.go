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

// pageSize is how many objects a list has at once, the most that Stripe gives.
const pageSize = 100

// call makes a call, with the library's types and by its backend. The library's own client would
// bring all services of Stripe's into the binary, 10 MB of them: where templates call methods by
// their names, as they do in our program, the linker leaves out no method of a type that is used.
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

// list reads a list, page by page while it is iterated over. A page that does not come is asked for again after each of
// the waits; the list ends with the first error after that.
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

// readPage reads the page of a list that the parameters name.
func readPage[T any](ctx context.Context, c *Client, path string, params stripego.ListParamsContainer) (read page[T], err error) {
	paging := params.GetListParams()
	paging.Context = ctx
	query := new(form.Values)
	form.AppendTo(query, params)
	err = c.backend.CallRaw(http.MethodGet, path, c.key, []byte(query.Encode()), paging.ToParams(), &read)
	if err = checked(read.URL, err); err == nil && read.HasMore && len(read.Data) == 0 {
		err = errUnreadable
	}
	return read, err
}

// sleep waits, and reports whether it did so to the end.
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

// firstPage reads the beginning of a list, so many objects at most.
func firstPage[T any](
	ctx context.Context, c *Client, path string, params stripego.ListParamsContainer, limit int,
) (read page[T], err error) {
	paging := params.GetListParams()
	paging.Context, paging.Limit = ctx, new(int64(limit))
	query := new(form.Values)
	form.AppendTo(query, params)
	err = c.backend.CallRaw(http.MethodGet, path, c.key, []byte(query.Encode()), paging.ToParams(), &read)
	return read, checked(read.URL, err)
}
