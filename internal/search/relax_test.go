package search_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/search"
)

// shop is a small catalog with synonyms and keywords. Its order is that of the list.
var shop = []struct {
	slug string
	search.Document
}{
	{"ocrelle", search.Document{Names: []string{"Ocrelle"}, Group: "image", Texts: []string{"L’image qui respecte la consigne"}, Traits: []string{"freemium"}, Hints: []string{"gratuit free"}}},
	{"detoureuse", search.Document{Names: []string{"Détoureuse"}, Group: "image", Texts: []string{"Elle enlève le fond"}, Keywords: []string{"détourage", "background removal"}, Traits: []string{"payant paid"}}},
	{"chuchotin", search.Document{Names: []string{"Chuchotin"}, Group: "voix", Texts: []string{"Il lit à voix basse"}, Keywords: []string{"text to speech", "synthèse vocale"}, Traits: []string{"gratuit free"}}},
	{"dicteclair", search.Document{Names: []string{"Dictéclair"}, Group: "voix", Texts: []string{"La dictée qui ponctue"}, Keywords: []string{"speech to text"}, Openings: []string{"On dicte, le texte paraît sur le velin"}, Traits: []string{"payant paid"}}},
	{"jacasse", search.Document{Names: []string{"Jacasse"}, Group: "chat", Texts: []string{"Il parle de tout, même d’image"}, Domain: "jacasse.example", Traits: []string{"payant paid"}}},
	{"app-noire", search.Document{Names: []string{"App"}, Group: "chat", Texts: []string{"Rien que le noir"}, Traits: []string{"payant paid"}}},
	{"clapotis", search.Document{Names: []string{"Clapotis"}, Group: "video", Texts: []string{"Coupe les blancs"}, Keywords: []string{"sous-titré"}, Traits: []string{"freemium"}, Hints: []string{"gratuit free"}}},
	{"bobinelle", search.Document{Names: []string{"Bobinelle"}, Group: "video", Texts: []string{"Elle monte toute seule"}, Traits: []string{"payant paid"}}},
	{"cellulose", search.Document{Names: []string{"Cellulose 12"}, Group: "donnees", Texts: []string{"Un tableur"}, Traits: []string{"payant paid"}}},
	{"requetine", search.Document{Names: []string{"Requêtine"}, Group: "donnees", Texts: []string{"Elle interroge les tables"}, Keywords: []string{"SQL"}, Traits: []string{"payant paid"}}},
}

var aisles = []search.Group{
	{Name: "image", Labels: []string{"Image", "Images"}, Synonyms: []string{"générateur d’images", "illustration", "image generator"}},
	{Name: "voix", Labels: []string{"Voix", "Voice"}},
	{Name: "chat", Labels: []string{"Assistants"}, Synonyms: []string{"chatbot"}},
	{Name: "video", Labels: []string{"Vidéo"}, Synonyms: []string{"montage vidéo", "video editing"}},
	{Name: "donnees", Labels: []string{"Données"}, Synonyms: []string{"base de données"}},
}

func stocked() (*search.Index, []uint32) {
	changed := make([]search.Change, len(shop))
	for i := range shop {
		changed[i].New = &shop[i].Document
	}
	return search.New().Apply(changed, aisles, func() {})
}

// What is found first, how much of the query it has, and what of it was ignored.
func TestSearch_Relaxed(t *testing.T) {
	t.Parallel()
	x, order := stocked()
	for _, c := range []struct{ typed, found, match, ignored string }{
		// All words, wherever they are.
		{"ocrelle", "ocrelle", "all", ""},
		{"image generator", "ocrelle detoureuse", "all", ""},
		{"Générateur d'image", "ocrelle detoureuse", "all", ""},
		{"chatbots", "jacasse app-noire", "all", ""},
		{"montage vidéo gratuit", "clapotis", "all", ""},
		{"sql", "requetine", "all", ""},
		{"velin", "dicteclair", "all", ""},
		{"vel", "", "some", "vel"}, // openings have whole words alone
		// A synonym of several words stands together, in order, before small words are dropped.
		{"text to speech", "chuchotin dicteclair", "all", ""},
		{"speech to text", "dicteclair chuchotin", "all", ""},
		{"speech", "chuchotin dicteclair", "all", ""},
		// Words that say nothing never empty an answer.
		{"meilleur outil image pas cher", "ocrelle detoureuse jacasse", "all", "meilleur outil pas cher"},
		{"chatbot under 20 euros", "jacasse app-noire", "all", "under 20 euros"},
		{"chatbot à 20 €", "jacasse app-noire", "all", "a 20 euros"},
		{"chatbot easily online", "jacasse app-noire", "all", "easily online"},
		{"cellulose 12", "cellulose", "all", ""},
		{"le meilleur logiciel", "", "some", "le meilleur logiciel"},
		{"tool under 20 euros", "", "some", "tool under 20 euros"},
		{"app", "app-noire", "all", ""},
		{"outil", "", "some", "outil"},
		// A plan finds its tools, then those that have it in part.
		{"gratuit", "chuchotin ocrelle clapotis", "all", ""},
		{"free", "chuchotin ocrelle clapotis", "all", ""},
		// Words that nothing has are read with typos, in names and synonyms of five letters and more.
		{"okrelle", "ocrelle", "near", ""},
		{"chatbto", "jacasse app-noire", "near", ""},
		{"montage vidoe", "clapotis bobinelle", "near", ""},
		{"detourrage", "detoureuse", "near", ""},
		{"sqll", "", "some", "sqll"},
		// Or with another ending.
		{"detoureur", "detoureuse", "near", ""},
		{"detouring", "detoureuse", "near", ""},
		{"parleur", "", "some", "parleur"}, // a tagline has parle, and no synonym
		// A keyword with a hyphen is also typed as one word.
		{"soustitrée", "clapotis", "all", ""},
		{"sous titres", "clapotis", "all", ""},
		// Then words are left out: names, categories, synonyms and keywords come before taglines.
		{"image xylophone", "ocrelle detoureuse jacasse", "some", "xylophone"},
		{"xylophone", "", "some", "xylophone"},
		{"ranger jacasse", "jacasse", "some", "ranger"},
		{"chatbot payant sql", "requetine jacasse app-noire", "some", ""},
		{"dessin sql payant", "requetine", "some", "dessin"},
		{"jacase xylophone", "jacasse", "some", "xylophone"},
		{"gratuit xylophone", "chuchotin ocrelle clapotis", "some", "xylophone"},
		// The last word begins another only if nothing has it as it stands.
		{"xylophone table", "requetine", "some", "xylophone"},
		{"xylophone tableu", "cellulose", "some", "xylophone"},
		// A number finds nothing by itself when another word is left out.
		{"xylophone 12", "", "some", "xylophone 12"},
		{"12 xylophone cellulose", "cellulose", "some", "xylophone"},
		// Two letters are whole words or the beginning of a whole name.
		{"oc", "ocrelle", "all", ""},
		{"12", "cellulose", "all", ""},
		{"a", "app-noire chuchotin", "all", ""},
	} {
		m := x.Search(search.Fold(c.typed), order)
		places, _ := m.Page(order, nil, 0, len(shop))
		var found []string
		for _, place := range places {
			found = append(found, shop[place].slug)
		}
		match := map[bool]string{true: "some", false: "all"}[m.Some]
		if m.Near {
			match = "near"
		}
		got := [3]string{strings.Join(found, " "), match, strings.Join(m.Ignored, " ")}
		if want := [3]string{c.found, c.match, c.ignored}; got != want {
			t.Errorf("%q:\n got %q\nwant %q", c.typed, got, want)
		}
		m.Release()
	}
}

// A relaxed answer has at most 200 documents, and the page of it says the same total.
func TestSearch_RelaxedIsBounded(t *testing.T) {
	t.Parallel()
	var changed []search.Change
	for i := range 1000 {
		d := &search.Document{Names: []string{"Nom " + strconv.Itoa(i)}, Group: "a"}
		if i%2 == 1 {
			d.Group = "b"
		}
		changed = append(changed, search.Change{New: d})
	}
	x, order := search.New().Apply(changed, []search.Group{{Name: "a", Labels: []string{"Musique"}}, {Name: "b"}}, func() {})
	m := x.Search("musique introuvable", order)
	defer m.Release()
	places, total := m.Page(order, nil, 0, 1000)
	if total != 200 || len(places) != 200 || !slices.IsSorted(places) || !m.Some {
		t.Errorf("%d of %d, some: %t", len(places), total, m.Some)
	}
}

// A result that only a synonym found says which; one that has the words itself does not.
func TestSynonym(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typed, slug, want string }{
		{"text to speech", "chuchotin", "text to speech"},
		{"speech", "chuchotin", "text to speech"},
		{"chuchotin", "chuchotin", ""},
		{"voix gratuite", "chuchotin", ""},
		{"image generator", "ocrelle", "image generator"},
		{"image", "ocrelle", ""},
		{"chatbot jacasse", "jacasse", "chatbot"},
		{"jaca", "jacasse", ""},
		{"soustitrée", "clapotis", "sous-titré"},
	} {
		for _, item := range shop {
			i := slices.IndexFunc(aisles, func(g search.Group) bool { return g.Name == item.Group })
			if item.slug != c.slug {
				continue
			}
			if got := search.Synonym(search.Fold(c.typed), item.Document, aisles[i]); got != c.want {
				t.Errorf("%q of %s: %q, want %q", c.typed, c.slug, got, c.want)
			}
		}
	}
}

// What a query has is marked in a text as it was written, and the text stays whole.
func TestMark(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, typed, want string }{
		{"L’image qui respecte", "images", "L’[image] qui respecte"},
		{"Générer des dessins d’enfant", "dessin gener", "[Générer] des [dessins] d’enfant"},
		{"Le fond, rien que le fond", "le fond", "Le [fond], rien que le [fond]"},
		{"e\u0301cole", "école", "[e\u0301cole]"},
		{"", "x", ""},
		{"<b>gras</b>", "gras", "<b>[gras]</b>"},
	} {
		var got strings.Builder
		for _, s := range search.Mark(c.text, search.Fold(c.typed)) {
			if s.Marked {
				got.WriteString("[" + s.Text + "]")
			} else {
				got.WriteString(s.Text)
			}
		}
		if got.String() != c.want {
			t.Errorf("%q in %q: %q, want %q", c.typed, c.text, got.String(), c.want)
		}
	}
}
