package stripefake

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

func (s *Server) subscription(id string) *Subscription {
	return find(s.subscriptions, func(sub *Subscription) bool { return sub.ID == id })
}

func (s *Server) customer(id string) *Customer {
	return find(s.customers, func(c *Customer) bool { return c.ID == id })
}

// find returns the first object for which is returns true, or nil.
func find[T any](all []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i]
	}
	return nil
}

// newest returns the newest invoice of a subscription, or nil.
func (s *Server) newest(sub *Subscription) *Invoice {
	return find(s.invoices, func(i *Invoice) bool { return i.ID == sub.LatestInvoice })
}

// page returns the page of a list that a form asks for. path is the URL of the list.
func page[T any](path string, all []T, form url.Values, id func(T) string) (any, error) {
	return pageOf(path, all, form, id, func(t T) T { return t })
}

// pageOf is page with each object converted by show.
func pageOf[T, S any](path string, all []T, form url.Values, id func(T) string, show func(T) S) (any, error) {
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
	var shown []S
	for _, t := range all[:min(limit, len(all))] {
		shown = append(shown, show(t))
	}
	list := listOf(path, shown...)
	list.HasMore = len(all) > limit
	return list, nil
}

// expands reports whether a form asks to expand a field, to have the object instead of its id.
func expands(form url.Values, what string) bool {
	for key, values := range form {
		if strings.HasPrefix(key, "expand[") && slices.Contains(values, what) {
			return true
		}
	}
	return false
}

// createdParams are the parameters by which lists are limited to objects made within a time:
// https://docs.stripe.com/api/invoices/list, created.
var createdParams = []string{"created", "created[gt]", "created[gte]", "created[lt]", "created[lte]"}

// created returns a function that reports whether a form asks for objects made at a time.
func created(form url.Values) (func(at int64) bool, error) {
	within := map[string]func(at, bound int64) bool{
		"created":      func(at, bound int64) bool { return at == bound },
		"created[gt]":  func(at, bound int64) bool { return at > bound },
		"created[gte]": func(at, bound int64) bool { return at >= bound },
		"created[lt]":  func(at, bound int64) bool { return at < bound },
		"created[lte]": func(at, bound int64) bool { return at <= bound },
	}
	bounds := make(map[string]int64)
	for _, name := range createdParams {
		if !form.Has(name) {
			continue
		}
		bound, err := strconv.ParseInt(form.Get(name), 10, 64)
		if err != nil {
			return nil, invalid(name, "parameter_invalid_integer", "Invalid integer: %s", form.Get(name))
		}
		bounds[name] = bound
	}
	return func(at int64) bool {
		for name, bound := range bounds {
			if !within[name](at, bound) {
				return false
			}
		}
		return true
	}, nil
}

// change finds a subscription that is not over and calls change for it, under the lock.
func (s *Server) change(id string, change func(sub *Subscription) error) error {
	s.lockAndTick()
	defer s.mu.Unlock()
	sub := s.subscription(id)
	switch {
	case sub == nil:
		return noSuch("subscription", id)
	case sub.over():
		return fmt.Errorf("the subscription %s is over", id)
	}
	return change(sub)
}

// noCustomer returns the fault of a call about a customer that does not exist or was deleted. Stripe says so if a
// customer is of the other mode; it knows nothing about those of another account
// (https://docs.stripe.com/error-codes#resource-missing). A deleted customer can still be read.
func (s *Server) noCustomer(id string) *fault {
	f := noSuch("customer", id)
	if s.otherMode[id] {
		f.Message += "; a similar object exists in live mode, but a test mode key was used to make this request."
	}
	return f
}
