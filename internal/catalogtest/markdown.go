package catalogtest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Written sets the Markdown of a tool's review.
func Written(markdown string) func(*catalog.Tool) {
	return func(t *catalog.Tool) { t.Review.Markdown = catalog.NewMarkdown(markdown) }
}

// Translated sets a tool's English tagline and, unless review is "", its English review.
func Translated(tagline, review string) func(*catalog.Tool) {
	return func(t *catalog.Tool) {
		t.English = catalog.ToolEnglish{Tagline: catalog.Translation{Text: tagline}}
		if review != "" {
			t.English.Review.Markdown = catalog.NewMarkdown(review)
			t.English.Source = "digest-en-" + t.Slug
		}
	}
}

// Markdown returns the Markdown of the ith of many reviews. They share phrases, each in an order of
// its own, with numbers between them that differ.
func Markdown(i int) string {
	phrases := []string{
		"L'export vers la base clients conserve la structure.", "Il faut relire une réponse sur vingt.",
		"On bute aussi sur l'instabilité de la version mobile.", "Rien ne prévient quand le quota approche.",
		"Les équipes apprécieront un choix d'exemples bien pensés.", "La qualité reste la même le soir.",
		"Un bon second choix pour une revue de presse.", "L'éditeur n'a pas relu ce texte et n'a rien payé.",
	}
	r := rand.New(rand.NewPCG(uint64(i), 0))
	var b strings.Builder
	fmt.Fprintf(&b, "\n**Outil %d** a été testé %d fois.\n", i, r.IntN(1000))
	for j, k := range r.Perm(len(phrases)) {
		if j == 4 {
			b.WriteString("\n\n## Ce qui coince\n\n")
		}
		fmt.Fprintf(&b, "%s Note : %d. ", phrases[k], r.IntN(1000))
	}
	return b.String() + "\n"
}
