package mail

import (
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/digest"
	"github.com/palmares-hq/palmares/internal/locale"
)

// maxDigested is how many tools a digest lists at most. The rest are counted.
const maxDigested = 100

// A Digest is what happened to the tools of a list.
type Digest struct {
	Changes     []digest.Change // at least one
	Weekly      bool            // the digest comes every week, not every day
	Page        func(slug string) string
	List        string // the URL of the list
	Unsubscribe string // the URL that ends the digest
}

// WatchDigest tells the owner of a list what happened to its tools. The subject counts them and names none.
func WatchDigest(h Header, w Digest) Message {
	n := len(w.Changes)
	d := h.draft("mail.hello")
	d.subject = d.Many("digest.subject", n)
	d.add(block{Text: d.Many("digest.what", n)})
	for _, c := range w.Changes[:min(n, maxDigested)] {
		f := fact{Name: c.Name, Value: d.happened(c)}
		if c.Page {
			f.Link = w.Page(c.Slug)
		}
		d.facts(f)
	}
	if more := n - maxDigested; more > 0 {
		d.add(block{Text: d.Many("digest.more", more)})
	}
	d.button("digest.button", w.List)
	often := "digest.daily"
	if w.Weekly {
		often = "digest.weekly"
	}
	d.add(block{Text: d.Must(often), Small: true, Label: d.Must("digest.unsubscribe"), Link: w.Unsubscribe})
	m := d.message()
	m.Unsubscribe = w.Unsubscribe
	return m
}

// happened says in a sentence what happened to a tool.
func (d *draft) happened(c digest.Change) string {
	var said []string
	say := func(name string, args ...any) { said = append(said, d.Must("digest."+name, args...)) }
	switch c.Life {
	case digest.Retired:
		if reason := "digest.reason." + string(c.Reason); d.Has(reason) {
			say("retired-why", d.day(c.RetiredAt), d.Must(reason))
		} else {
			say("retired", d.day(c.RetiredAt))
		}
	case digest.Removed:
		say("removed")
	case digest.Returned:
		say("returned")
	}
	if end := c.End; end != nil {
		switch {
		case end.Is == "":
			say("ends-not")
		case end.Was == "":
			say("ends", d.day(end.Is))
		default:
			say("ends-moved", d.day(end.Is), d.day(end.Was))
		}
	}
	if c.Successor != "" {
		say("successor", c.Successor)
	}
	if p := c.Price; p != nil {
		name := "dearer"
		if p.Corrected {
			name = "price-corrected"
		}
		say(name, d.price(p.Is), d.price(p.Was))
	}
	if s := c.Score; s != nil {
		d.scored(*s, say)
	}
	return strings.Join(said, d.Must("digest.and")) + "."
}

func (d *draft) scored(s digest.Move[catalog.Measure], say func(name string, args ...any)) {
	switch {
	case !s.Is.Known:
		say("unscored", d.Measure(s.Was))
	case s.Corrected && s.Was.Known:
		say("score-corrected", d.Measure(s.Is), d.Measure(s.Was))
	case !s.Was.Known:
		say("scored", d.Measure(s.Is))
	default:
		say("score", d.Measure(s.Is), d.Measure(s.Was))
	}
}

// day writes a day, which stays on one line.
func (d *draft) day(on catalog.Date) string { return strings.ReplaceAll(d.Date(on.Time()), " ", nbsp) }

// price writes a price; one that is in no form that is known, as it is.
func (d *draft) price(s string) string {
	if p, ok := catalog.ParsePrice(s); ok {
		return d.Price(p)
	}
	return s
}

var digestTexts = locale.Texts{
	"digest.subject": {"Votre liste\u00a0: %s outil a changé|Votre liste\u00a0: %s outils ont changé", "Your list: %s tool has changed|Your list: %s tools have changed"},
	"digest.what": {
		"Voici ce qui est arrivé à un outil de votre liste.|Voici ce qui est arrivé à %s outils de votre liste.",
		"This is what happened to a tool on your list.|This is what happened to %s tools on your list.",
	},
	"digest.more":   {"Et %s autre.|Et %s autres.", "And %s more.|And %s more."},
	"digest.button": {"Voir ma liste", "See my list"},
	"digest.daily": {
		"Vous recevez ce message une fois par jour au plus, quand il y a du nouveau. Pour ne plus en recevoir\u00a0:",
		"You get this message at most once a day, when there is news. To stop these messages:",
	},
	"digest.weekly": {
		"Vous recevez ce message une fois par semaine au plus, quand il y a du nouveau. Pour ne plus en recevoir\u00a0:",
		"You get this message at most once a week, when there is news. To stop these messages:",
	},
	"digest.unsubscribe": {"se désabonner", "unsubscribe"},

	"digest.and":             {"\u202f; ", "; "},
	"digest.retired":         {"retiré le %s", "retired on %s"},
	"digest.retired-why":     {"retiré le %s (%s)", "retired on %s (%s)"},
	"digest.removed":         {"n’est plus au catalogue", "is no longer in the catalogue"},
	"digest.returned":        {"est de retour au catalogue", "is back in the catalogue"},
	"digest.ends":            {"s’arrêtera le %s", "will end on %s"},
	"digest.ends-moved":      {"s’arrêtera le %s, et non plus le %s", "will end on %s, no longer on %s"},
	"digest.ends-not":        {"ne s’arrêtera pas, l’annonce de sa fin est retirée", "will not end, the announcement was taken back"},
	"digest.successor":       {"%s prend la suite", "%s succeeds it"},
	"digest.dearer":          {"%s, contre %s", "%s, up from %s"},
	"digest.price-corrected": {"le prix est de %s, et non de %s (rectificatif)", "the price is %s, not %s (correction)"},
	"digest.score":           {"note %s, contre %s", "score %s, was %s"},
	"digest.scored":          {"noté %s", "scored %s"},
	"digest.unscored":        {"n’est plus noté (%s auparavant)", "no longer has a score (was %s)"},
	"digest.score-corrected": {"la note est de %s, et non de %s (rectificatif)", "the score is %s, not %s (correction)"},

	"digest.reason.mort":     {"fermé", "shut down"},
	"digest.reason.acquis":   {"racheté", "acquired"},
	"digest.reason.deprecie": {"abandonné", "given up"},
	"digest.reason.pivot":    {"devenu autre chose", "became something else"},
	"digest.reason.absorbe":  {"absorbé par un autre", "merged into another"},
}
