package view

import "github.com/palmares-hq/palmares/internal/layout"

// Texts are the words of the catalogue that have a meaning of their own, and how prices move.
func Texts() layout.Texts { return texts }

var texts = layout.Texts{
	"pricing.gratuit":  {"Gratuit", "Free"},
	"pricing.freemium": {"Freemium", "Freemium"},
	"pricing.payant":   {"Payant", "Paid"},

	"icp.vibe-coder":       {"Créateurs sans code (vibe coders)", "Vibe coders"},
	"icp.agentic-engineer": {"Ingénieurs qui pilotent des agents", "Agentic engineers"},
	"icp.mixte":            {"Tout le monde", "Everyone"},

	"reason.mort":     {"Mort", "Dead"},
	"reason.acquis":   {"Racheté", "Acquired"},
	"reason.deprecie": {"Abandonné", "Deprecated"},
	"reason.pivot":    {"Reconverti", "Pivoted"},
	"reason.absorbe":  {"Absorbé", "Absorbed"},

	"translation.outdated": {"Traduit d’une version antérieure.", "Translated from an earlier version."},

	"repricing.gratuit":  {"devient gratuit", "now free"},
	"repricing.freemium": {"devient freemium", "now freemium"},
	"repricing.payant":   {"devient payant", "now paid"},
	"repricing.period":   {"change d’unité de facturation", "new billing unit"},
	"repricing.line":     {"%s → %s", "%s → %s"},
	"repricing.said":     {"%s (%s)", "%s (%s)"},
}
