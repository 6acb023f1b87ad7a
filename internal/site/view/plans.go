package view

import (
	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
)

// A PlansTable is what the table of plans shows: the limits that the service enforces.
type PlansTable struct {
	Anonymous, Developer   int // requests a day
	DeveloperKeys, ProKeys int
	Embeddings             int
	Closed                 bool // nobody can sign up
}

// Plans is the table of this installation.
func (v *View) Plans() PlansTable {
	developer, pro := account.Developer.Limits(), account.Pro.Limits()
	return PlansTable{
		Anonymous: account.Anonymous.Limits().Daily, Developer: developer.Daily,
		DeveloperKeys: developer.Keys, ProKeys: pro.Keys, Embeddings: catalog.EmbeddingsSize,
		Closed: v.Site.Closed,
	}
}
