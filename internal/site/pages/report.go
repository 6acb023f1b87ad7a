package pages

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/logging"
	"github.com/palmares-hq/palmares/internal/report"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/web"
)

var reportTexts = layout.Texts{
	"report.title":       {"Signaler une erreur\u00a0: %s", "Report an error: %s"},
	"report.heading":     {"Signaler une erreur", "Report an error"},
	"report.description": {"Dire à la rédaction ce qui est faux sur la page de %s.", "Tell the editors what is wrong on %s’s page."},
	"report.lede": {
		"Quelque chose est faux ou périmé sur la page de %s\u202f? Dites-le à la rédaction, qui vérifie et corrige.",
		"Is something wrong or out of date on %s’s page? Tell the editors, who will check it.",
	},
	"report.field":            {"Ce qui est faux", "What is wrong"},
	"report.choose":           {"Choisissez", "Choose one"},
	"report.field.price":      {"Le prix", "The price"},
	"report.field.score":      {"La note", "The score"},
	"report.field.domain":     {"Le site", "The website"},
	"report.field.retired_at": {"La date du retrait", "The retirement date"},
	"report.field.other":      {"Autre chose", "Something else"},
	"report.field.now":        {"%s\u00a0: %s", "%s: %s"},
	"report.right":            {"Ce qui est juste", "What is right"},
	"report.right.how":        {"Jusqu’à %s caractères.", "Up to %s characters."},
	"report.source":           {"Où on peut le vérifier (facultatif)", "Where this can be checked (optional)"},
	"report.source.how":       {"L’adresse d’une page, par exemple celle des tarifs.", "The address of a page, such as the one with the prices."},
	"report.email":            {"Votre adresse e-mail, si vous voulez une réponse (facultatif)", "Your e-mail address, if you want a reply (optional)"},
	"report.email.how": {
		"Elle ne sert qu’à vous répondre, puis elle est effacée.",
		"Used only to reply, then deleted.",
	},
	"report.trap":         {"Laissez ce champ vide", "Leave this field empty"},
	"report.send":         {"Envoyer le signalement", "Send the report"},
	"report.back":         {"Retour à la page de l’outil", "Back to the tool’s page"},
	"report.kept":         {"Ce que le service garde, et combien de temps", "What the service keeps, and for how long"},
	"report.thanks":       {"Merci\u00a0: le signalement est enregistré.", "Thank you: the report is saved."},
	"report.next":         {"La rédaction le lira. Une correction paraît avec l’édition suivante et reste visible dans le journal.", "The editors will read it. A correction appears with the next edition and stays visible in the journal."},
	"report.next.mail":    {"Si elle répond, ce sera par e-mail.", "If they reply, it will be by e-mail."},
	"report.faults":       {"Le signalement n’est pas parti\u00a0: corrigez ce qui suit.", "The report was not sent: fix the following."},
	"report.fault.field":  {"Choisissez ce qui est faux.", "Choose what is wrong."},
	"report.fault.right":  {"Écrivez ce qui est juste, en %s caractères au plus.", "Write what is right, in %s characters at most."},
	"report.fault.source": {"Donnez une adresse qui commence par https://, ou rien.", "Give an address that begins with https://, or nothing."},
	"report.fault.email":  {"Cette adresse e-mail n’est pas valable.", "This e-mail address is not valid."},
}

// trapInput is a hidden field, a honeypot: only a program that fills in all fields fills it in.
const trapInput = "website"

// Trapped reports whether a program, not a reader, filled in a form.
func Trapped(form url.Values) bool { return form.Get(trapInput) != "" }

// A reportBody is the data of the form that reports an error, or of the page after it.
type reportBody struct {
	Slug, Name           string
	Fields               []option
	Right, Source, Email string
	MaxRight, MaxSource  int
	Faults               map[string]string // sentences by input
	Sent                 bool
	Trap                 string
}

// A reported is what a form needs to know of the tool that it is about.
type reported struct {
	name    string
	retired bool
	values  map[report.Field]string // as the pages show them
}

func newReported(v *view.View, slug string) (reported, error) {
	if t, ok := v.Catalog.Tool(slug); ok {
		values := map[report.Field]string{report.Price: v.Price(t.Price), report.Domain: t.Domain}
		if t.Score.Known {
			values[report.Score] = v.Text.Measure(t.Score)
		}
		return reported{t.Name, false, values}, nil
	}
	if r, ok := v.Catalog.Retired(slug); ok {
		return reported{r.Name, true, map[report.Field]string{report.RetiredAt: v.Text.Date(r.RetiredAt.Time())}}, nil
	}
	return reported{}, web.Errorf(http.StatusNotFound, "there is no tool %s", logging.Clean(slug, layout.MaxQuoted))
}

// ReportForm returns the page with the empty form for reporting an error about a tool, living or retired.
func ReportForm(v *view.View, slug string) (*view.Document, error) {
	return ReportSent(v, slug, nil, nil)
}

// ReportDraft returns the report in a submitted form about a tool. It does not validate it. An unknown tool is a 404.
func ReportDraft(v *view.View, slug string, form url.Values) (report.Draft, error) {
	about, err := newReported(v, slug)
	if err != nil {
		return report.Draft{}, err
	}
	field := report.Field(form.Get(report.FieldInput))
	return report.Draft{
		Slug: slug, Retired: about.retired, Field: field, Value: about.values[field], Language: account.Language(v.Text.String()),
		Right: form.Get(report.RightInput), Source: form.Get(report.SourceInput), Email: form.Get(report.EmailInput),
	}, nil
}

// ReportSent returns the page that answers a submitted form: thanks if err is nil, or the form again with the faults of
// a report.FaultError. If form is nil, it returns the empty form.
func ReportSent(v *view.View, slug string, form url.Values, err error) (*view.Document, error) {
	about, missing := newReported(v, slug)
	if missing != nil {
		return nil, missing
	}
	body := reportBody{
		Slug: slug, Name: about.name, MaxRight: report.MaxRight, MaxSource: report.MaxSource, Trap: trapInput,
		Right: form.Get(report.RightInput), Source: form.Get(report.SourceInput), Email: form.Get(report.EmailInput),
		Sent: form != nil && err == nil,
	}
	for _, f := range report.Fields(about.retired) {
		label := v.Text.Must("report.field." + string(f))
		if now := about.values[f]; now != "" {
			label = v.Text.Must("report.field.now", label, now)
		}
		body.Fields = append(body.Fields, option{string(f), label, form.Get(report.FieldInput) == string(f)})
	}
	d := &view.Document{
		Template: "report", Section: address.Tools, NoIndex: true, Title: v.Text.Must("report.title", about.name),
		Description: v.Text.Must("report.description", about.name),
	}
	if about.retired {
		d.Section = address.Cemetery
	}
	if fault, ok := errors.AsType[*report.FaultError](err); ok {
		d.Status = http.StatusUnprocessableEntity
		body.Faults = make(map[string]string)
		for _, input := range fault.Inputs {
			var args []any
			if input == report.RightInput {
				args = append(args, v.Text.Integer(report.MaxRight))
			}
			body.Faults[input] = v.Text.Must("report.fault."+input, args...)
		}
	}
	d.Body = body
	return d, nil
}
