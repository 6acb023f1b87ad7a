package webhooks

import (
	"html/template"
	"time"

	"github.com/palmares-hq/palmares/internal/chart"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/webhook"
)

var hoursTexts = layout.Texts{
	"endpoint.hours": {"Vingt-quatre heures", "Twenty-four hours"},
	"endpoint.hours.chart": {
		"Les livraisons des 24\u00a0dernières heures, heure par heure\u00a0: %s réussies, %s en échec.",
		"The deliveries of the last 24\u00a0hours, hour by hour: %s delivered, %s failed.",
	},
	"endpoint.hours.done": {"réussies", "delivered"},
	"endpoint.hours.fail": {"en échec", "failed"},
	"endpoint.hours.ago":  {"−%s\u00a0h", "−%s\u00a0h"},
	"endpoint.hours.now":  {"maintenant", "now"},
	"endpoint.hours.tip":  {"%s à %s\u00a0: %s réussies, %s en échec", "%s to %s: %s delivered, %s failed"},
}

// hoursChart draws the deliveries of the last 24 hours; empty if there were none.
func hoursChart(r *page.Request, s webhook.DeliveryStats) (drawn [2]template.HTML) {
	if s.Attempted == 0 {
		return drawn
	}
	hours := make([]chart.Hour, len(s.Hours))
	for i, h := range s.Hours {
		hours[i] = chart.Hour{Done: h.Delivered, Fail: h.Attempted - h.Delivered}
	}
	ago := func(hours int) string {
		if hours == 0 {
			return r.Text.Must("endpoint.hours.now")
		}
		return r.Text.Must("endpoint.hours.ago", r.Text.Integer(hours))
	}
	tip := func(i int) string {
		from := r.Now.UTC().Add(time.Duration(i-len(hours)) * time.Hour)
		return r.Text.Must("endpoint.hours.tip", r.Text.Clock(from), r.Text.Clock(from.Add(time.Hour)),
			r.Text.Integer(hours[i].Done), r.Text.Integer(hours[i].Fail))
	}
	title := r.Text.Must("endpoint.hours.chart", r.Text.Integer(s.Delivered), r.Text.Integer(s.Attempted-s.Delivered))
	for i, width := range []int{900, chart.Narrow} {
		drawn[i] = chart.Hours(chart.Frame{
			Title: title, Width: width, Height: 150, Value: r.Text.Integer, Month: r.Text.ShortMonth, Day: r.Text.DayMonth,
		}, hours, ago, tip)
	}
	return drawn
}
