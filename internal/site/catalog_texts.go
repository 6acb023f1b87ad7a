package site

// catalogTexts are the words of the catalog that have a meaning of their own.
var catalogTexts = texts{
	"pricing.gratuit":  {"Gratuit", "Free"},
	"pricing.freemium": {"Freemium", "Freemium"},
	"pricing.payant":   {"Payant", "Paid"},

	"icp.vibe-coder":       {"Vibe coders", "Vibe coders"},
	"icp.agentic-engineer": {"Ingénieurs agentiques", "Agentic engineers"},
	"icp.mixte":            {"Tout le monde", "Everybody"},

	"reason.mort":     {"Mort", "Dead"},
	"reason.acquis":   {"Racheté", "Acquired"},
	"reason.deprecie": {"Abandonné", "Deprecated"},
	"reason.pivot":    {"Pivot", "Pivoted"},
	"reason.absorbe":  {"Absorbé", "Absorbed"},
}
