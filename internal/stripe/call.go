package stripe

import (
	"context"
	"iter"
	"net/http"

	stripego "github.com/stripe/stripe-go/v86"
	"github.com/stripe/stripe-go/v86/form"
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

// list reads a list, page by page while it is iterated over. It ends with the first error.
func list[T any](
	ctx context.Context, c *Client, path string, params stripego.ListParamsContainer, id func(T) string,
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		paging := params.GetListParams()
		paging.Context, paging.Limit = ctx, new(int64(pageSize))
		for more := true; more; {
			query := new(form.Values)
			form.AppendTo(query, params)
			var read page[T]
			err := c.backend.CallRaw(http.MethodGet, path, c.key, []byte(query.Encode()), paging.ToParams(), &read)
			if err = checked(read.URL, err); err == nil && read.HasMore && len(read.Data) == 0 {
				err = errUnreadable
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
