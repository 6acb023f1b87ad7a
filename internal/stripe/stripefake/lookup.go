package stripefake

import (
	"net/url"
	"slices"
	"strconv"
)

func (s *Server) subscription(id string) *Subscription {
	return find(s.subscriptions, func(sub *Subscription) bool { return sub.ID == id })
}

func (s *Server) customer(id string) *Customer {
	return find(s.customers, func(c *Customer) bool { return c.ID == id })
}

// find returns the first object that is the one, or nil.
func find[T any](all []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i]
	}
	return nil
}

// newest returns the newest invoice of a subscription.
func (s *Server) newest(sub *Subscription) *Invoice {
	return find(s.invoices, func(i *Invoice) bool { return i.ID == sub.LatestInvoice })
}

// page returns the part of a list that a form asks for.
func page[T any](path string, all []T, form url.Values, id func(T) string) (any, error) {
	limit, err := strconv.Atoi(or(form.Get("limit"), "10"))
	if err != nil || limit < 1 || limit > 100 {
		return nil, invalid("limit", "", "Invalid limit")
	}
	if after := form.Get("starting_after"); after != "" {
		at := slices.IndexFunc(all, func(t T) bool { return id(t) == after })
		if at < 0 {
			return nil, invalid("starting_after", "resource_missing", "No such object: '%s'", after)
		}
		all = all[at+1:]
	}
	list := listOf(path, all[:min(limit, len(all))]...)
	list.HasMore = len(all) > limit
	return list, nil
}
