package stripefake

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
)

// controls are the verbs by which a script changes the newest subscription of a customer.
var controls = map[string]func(s *Server, subscription string) error{
	"period-end":   (*Server).EndPeriod,
	"charge":       (*Server).Charge,
	"renew":        (*Server).Renew,
	"expire-card":  (*Server).expireCard,
	"fail-payment": (*Server).FailPayment,
	"pay":          (*Server).Pay,
	"give-up":      (*Server).GiveUp,
	"end":          func(s *Server, id string) error { return s.SetStatus(id, "canceled") },
	"portal-end":   (*Server).CancelInPortal,
	"authenticate": (*Server).RequireAction,
	"refuse-vat":   (*Server).refuseTaxIDs,
	"settle":       func(s *Server, id string) error { return s.Settle(id, true) },
	"bounce":       func(s *Server, id string) error { return s.Settle(id, false) },
}

// control serves POST /_control/{verb}?customer=… or ?email=…, and /_control/away?on=true.
func (s *Server) control(w http.ResponseWriter, r *http.Request) {
	if r.PathValue("verb") == "away" {
		on, err := strconv.ParseBool(r.FormValue("on"))
		if err != nil {
			http.Error(w, "away or not? /_control/away?on=true", http.StatusBadRequest)
			return
		}
		s.Away(on)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	do := controls[r.PathValue("verb")]
	if do == nil {
		http.NotFound(w, r)
		return
	}
	found := s.Subscriptions(s.named(r.FormValue("customer"), r.FormValue("email")))
	if len(found) == 0 {
		http.Error(w, "no such subscription", http.StatusNotFound)
		return
	}
	if err := do(s, found[0].ID); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// named returns the id of the newest customer with that id or e-mail address, or else id.
func (s *Server) named(id, email string) (found string) {
	for _, c := range s.Customers() {
		if c.ID == id || email != "" && strings.EqualFold(c.Email, email) {
			found = c.ID
		}
	}
	return cmp.Or(found, id)
}

// state serves the state of the server as JSON.
func (s *Server) state(w http.ResponseWriter, _ *http.Request) {
	type event struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Customer string `json:"customer"`
	}
	s.lockAndTick()
	events := make([]event, 0, len(s.events))
	for _, e := range s.events {
		events = append(events, event{e.ID, e.Type, e.Customer})
	}
	_, body := encode(map[string]any{
		"away": s.away, "price": s.price, "customers": s.customers, "checkouts": s.checkouts, "portals": s.portals,
		"subscriptions": s.subscriptions, "invoices": s.invoices, "credit_notes": s.creditNotes, "tax_ids": s.taxIDs, "events": events,
		"payment_methods": s.methods,
	}, nil)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // the script may have gone
}
