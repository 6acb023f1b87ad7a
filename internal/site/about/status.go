package about

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/availability"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var statusTexts = layout.Texts{
	"status.title": {"État du service", "Service status"},
	"status.description": {
		"L’âge du catalogue, les temps de réponse de l’API, le retard des webhooks et les incidents, en direct.",
		"The age of the catalogue, API response times, webhook lag and incidents, live.",
	},
	"status.lede": {
		"Chiffres relevés le %s par le serveur qui vous répond. Un autre serveur peut en donner d’autres.",
		"Measured on %s by the server that answered you. Another server may show other figures.",
	},

	"status.verdict.none": {"Aucun incident en cours.", "No incident in progress."},
	"status.verdict":      {"%s incident en cours.|%s incidents en cours.", "%s incident in progress.|%s incidents in progress."},
	"status.line":         {"Sur 90\u00a0jours, %s avec un incident.", "%s with an incident in the last 90\u00a0days."},
	"status.line.none":    {"Aucun jour avec incident sur les 90 derniers.", "No day with an incident in the last 90\u00a0days."},
	"status.line.count":   {"%s\u00a0jour|%s\u00a0jours", "%s\u00a0day|%s\u00a0days"},
	"status.line.from":    {"il y a 90\u00a0jours", "90\u00a0days ago"},
	"status.line.to":      {"aujourd’hui", "today"},

	"status.catalog":   {"Catalogue", "Catalogue"},
	"status.edition":   {"Édition", "Edition"},
	"status.number":    {"N°\u00a0%s", "No.\u00a0%s"},
	"status.age":       {"Âge", "Age"},
	"status.published": {"Publiée le %s.", "Published on %s."},

	"status.api": {"API", "API"},
	"status.p50": {"Médiane (p50)", "Median (p50)"},
	"status.p99": {"99e\u00a0centile (p99)", "99th percentile (p99)"},
	"status.hour": {
		"Temps de réponse de ce serveur sur la dernière heure, réseau non compris, arrondis au supérieur. Il compte depuis son démarrage, le %s.",
		"This server’s response times over the last hour, network excluded, rounded up. It has been counting since it started on %s.",
	},
	"status.young": {
		"Temps de réponse depuis le démarrage de ce serveur, le %s, réseau non compris, arrondis au supérieur. Il n’a pas encore une heure de recul.",
		"Response times since this server started on %s, network excluded, rounded up. It has been counting for less than an hour.",
	},
	"status.few": {
		"Moins de cent requêtes ont été comptées\u00a0: le p99 est le temps de réponse de la plus lente.",
		"Fewer than a hundred requests have been counted: p99 is the response time of the slowest.",
	},
	"status.idle.hour": {
		"Ce serveur n’a reçu aucune requête d’API depuis une heure. Il compte depuis son démarrage, le %s.",
		"This server has had no API requests for an hour. It has been counting since it started on %s.",
	},
	"status.idle.young": {
		"Ce serveur n’a reçu aucune requête d’API depuis son démarrage, le %s.",
		"This server has had no API requests since it started on %s.",
	},
	"status.noapi": {
		"Ce serveur ne répond pas aux requêtes d’API\u00a0: il n’a pas de temps de réponse à donner.",
		"This server does not answer API requests: it has no response times to show.",
	},

	"status.available":  {"Disponibilité", "Availability"},
	"status.objective":  {"Objectif", "Objective"},
	"status.measured":   {"Mesurée", "Measured"},
	"status.hundredths": {"%s,%s\u00a0%%", "%s.%s%%"},
	"status.share": {
		"Part des réponses de l’API qui n’étaient pas des erreurs du serveur, tous serveurs confondus, depuis le %s\u00a0: %s comptées, dont %s en échec. Arrondie à l’inférieur.",
		"Share of API responses that were not server errors, over all servers, since %s: %s counted, of which %s failed. Rounded down.",
	},
	"status.answers":       {"%s\u00a0réponse|%s\u00a0réponses", "%s response|%s responses"},
	"status.share.word":    {"Inconnue", "Unknown"},
	"status.share.none":    {"Aucune réponse de l’API n’a encore été comptée.", "No API responses have been counted yet."},
	"status.share.unknown": {"La base de données n’a pas répondu à temps\u00a0: la disponibilité n’est pas connue.", "The database did not answer in time: the availability is not known."},
	"status.gaps": {
		"%s\u00a0heure sur %s n’a été relevée par aucun serveur\u00a0: ce qui s’y est passé n’est pas compté.|%s\u00a0heures sur %s n’ont été relevées par aucun serveur\u00a0: ce qui s’y est passé n’est pas compté.",
		"%s\u00a0hour out of %s was recorded by no server: whatever happened then is not counted.|%s\u00a0hours out of %s were recorded by no server: whatever happened then is not counted.",
	},

	"status.webhooks": {"Webhooks", "Webhooks"},
	"status.lag":      {"Retard", "Lag"},
	"status.lag.none": {"Aucun", "None"},
	"status.unknown":  {"Inconnu", "Unknown"},
	"status.lag.what": {
		"Attente de la plus ancienne livraison en retard. Une nouvelle tentative prévue pour plus tard ne compte pas. Relevé %s.",
		"Age of the oldest overdue delivery. A retry scheduled for later does not count. Measured %s.",
	},
	"status.lag.unknown": {
		"La base de données n’a pas répondu à temps\u00a0: le retard n’est pas connu.",
		"The database did not answer in time: the lag is not known.",
	},
	"status.nowebhooks": {
		"Ce serveur n’envoie pas de webhooks.", "This server sends no webhooks.",
	},

	"status.incidents":  {"Incidents", "Incidents"},
	"status.noincident": {"Aucun incident enregistré.", "No incidents recorded."},
	"status.resolved":   {"Du %s au %s", "From %s to %s"},
	"status.sameday":    {"Le %s, de %s à %s\u00a0UTC", "%s, from %s to %s\u00a0UTC"},
	"status.lasts":      {"En cours depuis le %s", "Ongoing since %s"},
	"status.newest":     {"Les %s incidents les plus récents, sur %s.", "The %s most recent incidents out of %s."},

	"status.moment":  {"%s à %s\u00a0UTC", "%s at %s\u00a0UTC"},
	"status.now":     {"à l’instant", "just now"},
	"status.ago":     {"il y a %s", "%s ago"},
	"status.seconds": {"%s\u00a0seconde|%s\u00a0secondes", "%s\u00a0second|%s\u00a0seconds"},
	"status.minutes": {"%s\u00a0minute|%s\u00a0minutes", "%s\u00a0minute|%s\u00a0minutes"},
	"status.hours":   {"%s\u00a0heure|%s\u00a0heures", "%s\u00a0hour|%s\u00a0hours"},
	"status.days":    {"%s\u00a0jour|%s\u00a0jours", "%s\u00a0day|%s\u00a0days"},
}

// A statusBody is the data of the status page. Where a figure is missing, a sentence says why.
type statusBody struct {
	Verdict  string // by the incidents
	Trouble  bool   // an incident is not resolved
	Days     template.HTML
	DaysNote string

	Lede, Edition, Age, Published string

	Fresh *freshness

	P50, P99   string // "" for none
	APINotes   []string
	Objective  string // "" if the availability is not recorded
	Available  string
	AvailNotes []string
	Lag        string // "" if no webhooks are sent
	LagNote    string
	Incidents  []incidentRow
	OnlyNewest string // says how many incidents there are, if not all are shown
}

// An incidentRow is an incident of the page.
type incidentRow struct {
	When        string
	Lasts       bool
	Title, Text template.HTML
}

// maxIncidents is the most incidents that the page shows.
const maxIncidents = 50

// Page returns the status page with a measurement.
func (*Status) Page(v *view.View, m Measurement) (*view.Document, error) {
	edition, now := v.Catalog.Edition(), m.at
	body := statusBody{
		Lede:      v.Text.Must("status.lede", moment(v, now)),
		Edition:   v.Text.Must("status.number", v.Text.Integer(int(edition.Number))),
		Age:       span(v, now.Sub(edition.PublishedAt)),
		Published: v.Text.Must("status.published", moment(v, edition.PublishedAt)),
	}
	body.Fresh = newFreshness(v)
	body.addAPI(v, m)
	if err := body.addAvailability(v, m); err != nil {
		return nil, err
	}
	body.addLag(v, m)
	body.addIncidents(v)
	body.judge(v, now)
	return &view.Document{
		Template: "status", Title: v.Text.Must("status.title"), Description: v.Text.Must("status.description"), Body: body,
	}, nil
}

// addAPI adds the response times of the API.
func (b *statusBody) addAPI(v *view.View, m Measurement) {
	if m.api == nil {
		b.APINotes = []string{v.Text.Must("status.noapi")}
		return
	}
	since, p := m.api.Since(), m.api.LastHour()
	young := m.at.Sub(since) < time.Hour
	text := "status.hour"
	switch {
	case p.Requests == 0 && young:
		text = "status.idle.young"
	case p.Requests == 0:
		text = "status.idle.hour"
	case young:
		text = "status.young"
	}
	b.APINotes = []string{v.Text.Must(text, moment(v, since))}
	if p.Requests == 0 {
		return
	}
	b.P50, b.P99 = brief(v, p.P50), brief(v, p.P99)
	const enough = 100 // responses; with fewer there is no slowest hundredth
	if p.Requests < enough {
		b.APINotes = append(b.APINotes, v.Text.Must("status.few"))
	}
}

// addAvailability adds the share of the API's responses that did not fail, and how many hours were not recorded.
func (b *statusBody) addAvailability(v *view.View, m Measurement) error {
	if !m.noted {
		return nil
	}
	b.Objective, b.Available = hundredths(v, availability.Objective), v.Text.Must("status.share.word")
	if m.available == nil {
		b.AvailNotes = []string{v.Text.Must("status.share.unknown")}
		return nil
	}
	s := m.available.value
	share, known := s.Share()
	if known {
		b.Available = hundredths(v, share)
		b.AvailNotes = []string{v.Text.Must("status.share", moment(v, s.Since),
			v.Text.Many("status.answers", int(s.Answered)), v.Text.Integer(int(s.Failed)))}
	} else {
		b.Available, b.AvailNotes = "–", []string{v.Text.Must("status.share.none")}
	}
	if s.Missing > 0 {
		gaps, err := v.Text.Count("status.gaps", s.Missing, v.Text.Integer(s.Hours+s.Missing))
		if err != nil {
			return err
		}
		b.AvailNotes = append(b.AvailNotes, gaps)
	}
	return nil
}

// hundredths formats a number of hundredths of a percent: 99,90 %.
func hundredths(v *view.View, n int) string {
	return v.Text.Must("status.hundredths", strconv.Itoa(n/100), fmt.Sprintf("%02d", n%100))
}

// addLag adds how late webhook deliveries are.
func (b *statusBody) addLag(v *view.View, m Measurement) {
	answer := m.lag
	switch {
	case !m.webhooks:
		b.LagNote = v.Text.Must("status.nowebhooks")
		return
	case answer == nil:
		b.Lag, b.LagNote = v.Text.Must("status.unknown"), v.Text.Must("status.lag.unknown")
		return
	case answer.value < time.Second:
		b.Lag = v.Text.Must("status.lag.none")
	default:
		b.Lag = span(v, answer.value)
	}
	taken := v.Text.Must("status.now")
	if ago := m.at.Sub(answer.asked); ago >= time.Second {
		taken = v.Text.Must("status.ago", span(v, ago))
	}
	b.LagNote = v.Text.Must("status.lag.what", taken)
}

// addIncidents adds the newest incidents, in the order of the catalog: newest first.
func (b *statusBody) addIncidents(v *view.View) {
	all := v.Catalog.Incidents()
	if len(all) > maxIncidents {
		b.OnlyNewest = v.Text.Must("status.newest", v.Text.Integer(maxIncidents), v.Text.Integer(len(all)))
		all = all[:maxIncidents]
	}
	for _, i := range all {
		b.Incidents = append(b.Incidents, incidentRow{
			When: during(v, i.At, i.ResolvedAt), Lasts: i.ResolvedAt.IsZero(),
			Title: v.Text.Say(i.Title), Text: v.Text.Say(i.Text),
		})
	}
}

// shownDays is how many days the day chart shows, today included.
const shownDays = 90

// judge sets the verdict and the day chart. It considers only incidents, because what this node measures says nothing
// about the others.
func (b *statusBody) judge(v *view.View, now time.Time) {
	var days [shownDays]bool // whether it had an incident, oldest first
	lasting, troubled := 0, 0
	first := now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-shownDays)
	index := func(t time.Time) int { return int(t.UTC().Truncate(24*time.Hour).Sub(first) / (24 * time.Hour)) }
	for _, i := range v.Catalog.Incidents() {
		end := i.ResolvedAt
		if end.IsZero() {
			lasting++
			end = now
		}
		if end.Before(first) {
			continue
		}
		for day := max(index(i.At), 0); day <= min(index(end), shownDays-1); day++ {
			days[day] = true
		}
	}
	for _, bad := range days {
		if bad {
			troubled++
		}
	}
	b.Verdict, b.DaysNote, b.Trouble = v.Text.Must("status.verdict.none"), v.Text.Must("status.line.none"), lasting > 0
	if lasting > 0 {
		b.Verdict = v.Text.Many("status.verdict", lasting)
	}
	if troubled > 0 {
		b.DaysNote = v.Text.Must("status.line", v.Text.Many("status.line.count", troubled))
	}
	b.Days = drawDays(days[:], b.DaysNote)
}

// drawDays draws the day chart as SVG. Days with an incident are taller, so that colour is not the only sign.
func drawDays(days []bool, title string) template.HTML {
	const step, width, height, low = 8, 6, 32, 20
	var s strings.Builder
	fmt.Fprintf(&s, `<svg class="days" viewBox="0 0 %d %d" role="img" aria-label="%s">`, step*len(days)-step+width, height, template.HTMLEscapeString(title))
	for i, bad := range days {
		if bad {
			fmt.Fprintf(&s, `<rect class="bad" x="%d" y="0" width="%d" height="%d"/>`, i*step, width, height)
		} else {
			fmt.Fprintf(&s, `<rect x="%d" y="%d" width="%d" height="%d"/>`, i*step, height-low, width, low)
		}
	}
	s.WriteString("</svg>")
	return template.HTML(s.String()) //nolint:gosec // numbers, and a text that was escaped
}

// during formats a period. A zero end means that it is not over.
func during(v *view.View, from, to time.Time) string {
	switch {
	case to.IsZero():
		return v.Text.Must("status.lasts", moment(v, from))
	case catalog.DateOf(from) == catalog.DateOf(to):
		return v.Text.Must("status.sameday", v.Text.Date(from.UTC()), v.Text.Clock(from.UTC()), v.Text.Clock(to.UTC()))
	default:
		return v.Text.Must("status.resolved", moment(v, from), moment(v, to))
	}
}

// moment formats a time to the minute: 15 novembre 2026 à 10 h 20 UTC.
func moment(v *view.View, t time.Time) string {
	return v.Text.Must("status.moment", v.Text.Date(t.UTC()), v.Text.Clock(t.UTC()))
}

// span formats a duration in seconds, minutes, hours or days, rounded down.
func span(v *view.View, d time.Duration) string {
	const day = 24 * time.Hour
	switch d = max(d, 0); {
	case d < time.Minute:
		return v.Text.Many("status.seconds", int(d/time.Second))
	case d < time.Hour:
		return v.Text.Many("status.minutes", int(d/time.Minute))
	case d < 2*day:
		return v.Text.Many("status.hours", int(d/time.Hour))
	default:
		return v.Text.Many("status.days", int(d/day))
	}
}

// brief formats a short duration with about two digits, rounded up: 0,35 ms.
func brief(v *view.View, d time.Duration) string {
	unit, name := time.Millisecond, "ms"
	if d >= time.Second {
		unit, name = time.Second, "s"
	}
	decimals, step := 0, unit
	for d < 10*step && decimals < 2 {
		decimals, step = decimals+1, step/10
	}
	d = (d + step - 1).Truncate(step)
	s := strconv.FormatFloat(float64(d)/float64(unit), 'f', decimals, 64)
	if v.Text.Language == locale.French {
		s = strings.ReplaceAll(s, ".", ",")
	}
	return s + "\u00a0" + name
}
