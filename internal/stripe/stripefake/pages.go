package stripefake

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"net/url"
)

//go:embed page.html
var pageHTML string

var pageTemplate = template.Must(template.New("page.html").Parse(pageHTML))

type pageData struct {
	Title, Locale string
	Pay           string // where the form goes; "" for none
	Back          string
	Invoices      []Invoice
}

func show(w http.ResponseWriter, data pageData) {
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, data); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Referrer-Policy", "no-referrer")
	_, _ = b.WriteTo(w) // the browser may have gone
}

// showCheckout serves the page that stands for Stripe's checkout.
func (s *Server) showCheckout(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	found := s.checkout(r.PathValue("id"))
	var c Checkout
	if found != nil {
		c = *found
	}
	s.mu.Unlock()
	if found == nil {
		http.NotFound(w, r)
		return
	}
	data := pageData{Title: "Checkout", Locale: c.Locale, Back: c.CancelURL}
	if c.Status == "open" {
		data.Pay = "/checkout/" + c.ID
	} else {
		data.Title = "Checkout: " + c.Status
	}
	show(w, data)
}

// payCheckout completes a checkout when its page's button is pressed, and redirects as Stripe does.
func (s *Server) payCheckout(w http.ResponseWriter, r *http.Request) {
	if _, err := s.Complete(r.PathValue("id")); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	s.mu.Lock()
	to := s.checkout(r.PathValue("id")).SuccessURL
	s.mu.Unlock()
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// showPortal serves the page that stands for Stripe's portal.
func (s *Server) showPortal(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	found := find(s.portals, func(p *Portal) bool { return p.ID == r.PathValue("id") })
	var invoices []Invoice
	for _, i := range s.invoices {
		if found != nil && i.Customer == found.Customer {
			invoices = append(invoices, *i)
		}
	}
	s.mu.Unlock()
	if found == nil {
		http.NotFound(w, r)
		return
	}
	show(w, pageData{Title: "Portal", Locale: found.Locale, Back: found.ReturnURL, Invoices: invoices})
}

// showInvoice serves the page that stands for Stripe's page of an invoice.
func (s *Server) showInvoice(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	found := find(s.invoices, func(i *Invoice) bool { return i.ID == r.PathValue("id") && i.Status != "draft" })
	var i Invoice
	if found != nil {
		i = *found
	}
	s.mu.Unlock()
	if found == nil {
		http.NotFound(w, r)
		return
	}
	data := pageData{Title: "Invoice: " + i.Status, Invoices: []Invoice{i}}
	if i.Status == "open" || i.Status == "uncollectible" {
		data.Pay = "/invoice/" + i.ID
	}
	show(w, data)
}

// payPage pays an invoice when its page's button is pressed.
func (s *Server) payPage(w http.ResponseWriter, r *http.Request) {
	if err := s.PayInvoice(r.PathValue("id")); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	http.Redirect(w, r, "/invoice/"+url.PathEscape(r.PathValue("id")), http.StatusSeeOther)
}
