package generate

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// maxNameSlug leaves room for two slugs and "-vs-" in a comparison's slug.
const maxNameSlug = (catalog.MaxSlug - len(versus)) / 2

const versus = "-vs-"

// A namer invents names and never gives the same slug twice.
type namer struct {
	rng   *rand.Rand
	taken map[string]bool
}

// name invents a name for a tool of a category.
func (n *namer) name(c category) (name, slug string) {
	for try := 0; ; try++ {
		name = n.invent(c)
		if try > 6 { // the short names are running out
			name += " " + strconv.Itoa(2+n.rng.IntN(try*try))
		}
		slug = slugify(name)
		if !n.taken[slug] && len(slug) <= maxNameSlug {
			n.taken[slug] = true
			return name, slug
		}
	}
}

func (n *namer) invent(c category) string {
	root := one(n.rng, nameStarts) + one(n.rng, nameMiddles) + one(n.rng, nameEnds)
	word := one(n.rng, nameWords)
	if n.rng.IntN(2) == 0 {
		word = one(n.rng, c.nameWords)
	}
	switch p := n.rng.IntN(100); {
	case p < 44:
		return root
	case p < 78:
		return root + " " + word
	case p < 86:
		return one(n.rng, nameHouses) + " " + root
	case p < 91:
		return root + ".ia"
	case p < 96:
		return root + " IA"
	default:
		return root + " & " + one(n.rng, nameStarts) + one(n.rng, nameMiddles) + one(n.rng, nameEnds)
	}
}

// slugify turns a name into lower-case ASCII words joined by hyphens.
func slugify(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		switch r {
		case 'à', 'â':
			r = 'a'
		case 'é', 'è', 'ê', 'ë':
			r = 'e'
		case 'î', 'ï':
			r = 'i'
		case 'ô':
			r = 'o'
		case 'û', 'ù', 'ü':
			r = 'u'
		case 'ç':
			r = 'c'
		}
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

func one(rng *rand.Rand, list []string) string { return list[rng.IntN(len(list))] }

// What names are made of: a start, a middle and an end, then perhaps a word.
var (
	nameStarts = []string{
		"Al", "Ar", "Bel", "Bor", "Bri", "Cal", "Cé", "Clar", "Cor", "Dal", "Del", "Dor", "Élo", "Er", "Fal", "Fê",
		"Flo", "Gal", "Gra", "Is", "Jal", "Jor", "Kal", "Kel", "Kor", "Lan", "Lé", "Lor", "Lu", "Mar", "Mé", "Mil",
		"Mor", "Nal", "Né", "Nor", "Ob", "Or", "Pal", "Per", "Pri", "Quan", "Ral", "Ré", "Riv", "Sal", "Sé", "Sol",
		"Syl", "Tal", "Té", "Tri", "Ul", "Val", "Vé", "Vol", "Zal", "Zé", "Çal", "Ê",
	}
	nameMiddles = []string{
		"ba", "bi", "ca", "da", "di", "fi", "ga", "la", "li", "lo", "lu", "ma", "mi", "mo", "na", "ni", "no", "ra",
		"ri", "ro", "sa", "so", "ta", "ti", "to", "va", "vi", "xa", "zo", "ré", "lé", "né", "bri", "dra", "tri", "mê",
	}
	nameEnds = []string{
		"nne", "ris", "lys", "ge", "ne", "ra", "via", "xis", "no", "lia", "ria", "del", "mo", "tis", "vo", "zen",
		"dia", "lune", "phane", "scope", "nova", "nef", "tor", "ble", "que", "line", "rêve", "clé", "bois", "fil", "",
	}
	nameHouses = []string{"Atelier", "Studio", "Maison", "Projet", "Labo", "Fabrique", "Collectif"}
	nameWords  = []string{"Studio", "Pro", "Lab", "Direct", "Plus", "Forge", "Atelier", "Express", "Mini", "Libre"}
)
