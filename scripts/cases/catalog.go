package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// writeCatalog writes the content files of the catalogue that clients/README.md describes, in its first or second state.
func writeCatalog(dir string, second bool) error {
	files := map[string]string{
		"catalog.yaml": "name: Catalogue d’essai é 100 %\nurl: https://catalogue.example\nsite:\n" +
			"  tool: https://catalogue.example/outils/{slug}\n  review: https://catalogue.example/avis/{slug}\n" +
			"  alternatives: https://catalogue.example/alternatives/{slug}\n  comparison: https://catalogue.example/comparatifs/{slug}\n",
		"categories.yaml": "- slug: code\n  label: Code\n- slug: chat\n  label: Chat\n",
		"comparatifs/alpha-ou-bravo.md": "---\ntitle: Alpha ou Bravo\ntool_a: alpha\ntool_b: bravo\nwinner: alpha\n" +
			"status: published\n---\nAlpha l’emporte.\n",
		"cimetiere/omega.md": "---\nname: Omega\ncategory: code\nreason: acquis\nretired_at: 2026-03-01\nsuccessor: alpha\n---\nRacheté.\n",
		"cimetiere/psi.md":   "---\nname: Psi\ncategory: chat\nreason: mort\nretired_at: 2026-05-01\n---\nFermé.\n",
	}
	tools := []struct {
		slug, name, category, pricing, price, more string
	}{
		{"alpha", "Alpha", "code", "freemium", "20 €/mois", "score: 9.5\nverifiability: 8\n"},
		{"bravo", "Bravo", "chat", "payant", "12 €/mois", "score: 9\nverifiability: 7\n"},
		{"charlie", "Charlie", "code", "payant", "199,90 €/an", "score: 8.5\nverifiability: 7\n"},
		{"delta", "Delta", "chat", "gratuit", "0 €/mois", "score: 8\nverifiability: 6\n"},
		{"echo", "Echo", "code", "freemium", "8 €/mois", "score: 7.5\nverifiability: 6\n"},
		{"foxtrot", "Foxtrot", "code", "payant", "30 €/mois", "score: 6\nverifiability: 5\nends_at: 2099-01-01\nends_source: https://foxtrot.example/fin\n"},
		{"golf", "Golf", "code", "payant", "5 €/crédit", ""},
		{"aube", "Aube", "code", "payant", "3 €/mois", "score: 9.9\n"},
	}
	for _, t := range tools {
		if t.slug == "aube" && !second {
			continue
		}
		review := ""
		if t.slug != "golf" {
			review = "Un résumé de " + t.name + ".\n\n## Verdict\n\nOn y revient.\n"
		}
		files["tools/"+t.slug+".md"] = fmt.Sprintf("---\nname: %s\ndomain: %s.example\ncategory: %s\nicp: mixte\npricing: %s\n"+
			"price: %q\ntagline: Un outil parmi d’autres\nobsolescence: 2\ntier: 3\nmainstream: false\n%s---\n%s",
			t.name, t.slug, t.category, t.pricing, t.price, t.more, review)
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
