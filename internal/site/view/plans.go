package view

import (
	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
)

// A PlansTable is what the table of plans shows: the limits that the service enforces.
type PlansTable struct {
	Anonymous, Developer   int // requests a day
	DeveloperKeys, ProKeys int
	Embeddings             int
	Target                 string // of availability with Pro, in percent; "" for none
	Support                bool   // that of Pro comes first
	Closed                 bool   // nobody can sign up

	// Where each plan begins. Keys and Own are "" where there are no accounts.
	Try, Keys, Own string
	Checkout       bool // Pro is bought at Own
}

// Plans is the table of this installation.
func (v *View) Plans() PlansTable {
	developer, pro := account.Developer.Limits(), account.Pro.Limits()
	table := PlansTable{
		Anonymous: account.Anonymous.Limits().Daily, Developer: developer.Daily,
		DeveloperKeys: developer.Keys, ProKeys: pro.Keys, Embeddings: catalog.EmbeddingsSize,
		Closed: v.Site.Closed, Try: v.Path(address.Landing) + "#appel", Checkout: v.Site.Checkout,
	}
	promised := v.Catalog.Service().Words.Pro
	table.Target, table.Support = promised.Target(), !promised.NoSupport
	if v.Site.Accounts {
		table.Keys, table.Own = v.Path(address.Keys), v.Path(address.Plan)
	}
	return table
}
