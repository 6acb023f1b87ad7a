package webhook

import (
	"context"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Sample returns an event of that type about an invented item, made like a real one and marked as a
// test. It is not in the log. ok is false for types that do not occur in the log.
func Sample(t catalog.EventType, at time.Time) (e Event, ok bool) {
	before := catalog.Edition{Number: 1, ID: "sample", PublishedAt: at.AddDate(0, 0, -30)}
	first := catalog.Diff(&catalog.Contents{}, sampleContents(false, before.Date()), before.Date())
	published := catalog.Empty().Apply(first.Delta(before)).Contents()
	for _, event := range catalog.Diff(published, sampleContents(true, catalog.DateOf(at)), catalog.DateOf(at)).Events() {
		whole := len(event.Object) > 0 && len(event.Previous) > 0
		if event.Type == t && !event.Repeats() && (!ok || whole) {
			e, ok = Event{catalog.LogEntry{Seq: 1, Edition: 1, At: at, Event: event}, true}, true
		}
	}
	return e, ok
}

// sampleContents returns a small catalog, or a later state of it. The difference between the two has an
// event of every type.
func sampleContents(later bool, day catalog.Date) *catalog.Contents {
	c := &catalog.Contents{
		Service: catalog.Service{Name: "Exemple", URL: "https://catalogue.example", Site: catalog.Site{
			Tool: "https://catalogue.example/outils/{slug}", Review: "https://catalogue.example/avis/{slug}",
			Alternatives: "https://catalogue.example/alternatives/{slug}", Comparison: "https://catalogue.example/comparatifs/{slug}",
		}},
		Categories: []catalog.Category{{Slug: "code", Label: "Code"}},
		Tools:      []*catalog.Tool{sampleTool("exemple-boussole", "Exemple Boussole", "20 €/mois", 790, "Elle montre où regarder.")},
	}
	dead := func(slug, name, note string, formerly ...string) {
		c.Retired = append(c.Retired, &catalog.Retired{
			Slug: slug, Formerly: formerly, Name: name, Category: "code", Reason: catalog.Acquired, RetiredAt: day, Note: note,
		})
	}
	comparison := func(a, b, note string, formerly ...string) {
		slug := a + "-ou-" + b
		c.Comparisons = append(c.Comparisons, &catalog.Comparison{Slug: slug, Formerly: formerly, Title: "Exemple : " + slug, ToolA: a, ToolB: b, Winner: a, Note: note})
	}
	if later {
		c.Tools[0].Ending = catalog.Ending{
			At: catalog.DateOf(day.Time().AddDate(0, 4, 0)), Source: "https://exemple-boussole.example/fin", Successor: "exemple-atelier",
		}
		c.Tools[0].Next = catalog.NextPrice{
			Pricing: catalog.Paid, Price: "24 €/mois", From: catalog.DateOf(day.Time().AddDate(0, 2, 0)), Source: "https://exemple-boussole.example/tarifs",
		}
		c.Tools = append(c.Tools,
			sampleTool("exemple-atelier", "Exemple Atelier", "15 €/mois", 860, "Il répond en une seconde."),
			sampleTool("exemple-nouveau", "Exemple Nouveau", "9 €/mois", 700, "Il vient d'arriver."),
			sampleTool("exemple-plume", "Exemple Plume", "6 €/mois", 650, "Il a changé de nom.", "exemple-stylo"))
		c.Categories = append(c.Categories, catalog.Category{Slug: "image", Label: "Image"})
		dead("exemple-cahier", "Exemple Cahier", "Racheté, puis fermé.")
		dead("exemple-fable", "Exemple Fable", "Annoncé, jamais ouvert.")
		dead("exemple-lampe", "Exemple Lampe", "Racheté, puis éteint.")
		dead("exemple-bougie", "Exemple Bougie", "Soufflé.", "exemple-chandelle")
		comparison("exemple-atelier", "exemple-boussole", "L'atelier répond plus vite.")
		comparison("exemple-atelier", "exemple-nouveau", "L'atelier a fait ses preuves.")
		comparison("exemple-atelier", "exemple-plume", "L'atelier, encore.", "exemple-atelier-ou-exemple-stylo")
	} else {
		c.Tools = append(c.Tools,
			sampleTool("exemple-atelier", "Exemple Atelier", "12 €/mois", 840, "Il répond en deux secondes."),
			sampleTool("exemple-cahier", "Exemple Cahier", "5 €/mois", 610, "Il garde tout."),
			sampleTool("exemple-disparu", "Exemple Disparu", "7 €/mois", 550, "Il n'est plus là."),
			sampleTool("exemple-stylo", "Exemple Plume", "6 €/mois", 650, "Il a changé de nom."))
		dead("exemple-chandelle", "Exemple Bougie", "Soufflé.")
		comparison("exemple-atelier", "exemple-stylo", "L'atelier, encore.")
		dead("exemple-lampe", "Exemple Lampe", "Racheté.")
		dead("exemple-phare", "Exemple Phare", "Déclaré mort trop tôt.")
		comparison("exemple-atelier", "exemple-boussole", "L'atelier, de peu.")
		comparison("exemple-boussole", "exemple-cahier", "La boussole, de loin.")
	}
	c.Sort()
	return c
}

func sampleTool(slug, name, price string, score int, review string, formerly ...string) *catalog.Tool {
	t := &catalog.Tool{
		Slug: slug, Formerly: formerly, Name: name, Domain: slug + ".example", Category: "code", ICP: catalog.Mixed, Pricing: catalog.Paid, Price: price,
		Score: catalog.Hundredths(score), Verifiability: catalog.Hundredths(700), Obsolescence: catalog.Hundredths(100),
		Tagline: "Un outil inventé, pour essayer", Tier: 1, Mainstream: true,
		Review: catalog.NewReview(name, []catalog.Section{{ID: catalog.SummaryID, Heading: "Résumé", Text: review}}),
		Source: price + review,
	}
	t.Review.Markdown = catalog.NewMarkdown(review)
	return t
}

// SendSample sends an endpoint a sample, signed like any delivery.
func SendSample(ctx context.Context, s *Sender, b *Keyring, e Endpoint, sample Event) (Result, error) {
	secrets, _, err := b.signers(e, sample.At)
	if err != nil {
		return Result{}, err
	}
	return s.Send(ctx, Message{URL: e.URL, ID: NewDeliveryID(), At: sample.At, Body: sample.Payload(), Secrets: secrets}), nil
}
