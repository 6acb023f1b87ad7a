package settings

import (
	"strings"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/portal/page"
)

// How many actions of the log the page lists, and how many of them it shows before the list is opened.
const (
	maxActivity    = 500
	recentActivity = 10
)

// An activityRow is an entry of the activity log in words.
type activityRow struct {
	account.Activity
	What    string // what was done
	Subject string // what it was done to; "" for nothing
	Who     string // who did it
}

// activity reads the log of the account's actions, the newest first.
func (p *Pages) activity(r *page.Request) (recent, earlier []activityRow, err error) {
	list, err := p.Accounts.Activity(r.Context(), r.By, r.Account.ID, maxActivity)
	if err != nil {
		return nil, nil, err
	}
	rows := make([]activityRow, len(list))
	for i, a := range list {
		rows[i] = activityRow{Activity: a, What: actionText(r, a.Action), Subject: subjectText(r, a), Who: doerText(r, a.By)}
	}
	n := min(len(rows), recentActivity)
	return rows[:n], rows[n:], nil
}

// actionText returns the text of an action. An action that a newer version of the service recorded has no text
// yet, and stays as it is.
func actionText(r *page.Request, a account.Action) string {
	if name := "activity." + strings.ReplaceAll(string(a), ".", "-"); r.Text.Has(name) {
		return r.Text.Must(name)
	}
	return string(a)
}

// doerText returns who did something; "–" for old entries, which do not say.
func doerText(r *page.Request, by account.Doer) string {
	switch by {
	case account.DoneByOwner:
		return r.Text.Must("settings.activity.you")
	case account.DoneByOperator:
		return r.Text.Must("settings.activity.operator")
	case account.DoneByService:
		return r.Text.Must("settings.activity.service")
	default:
		return "–"
	}
}

// subjectText returns what an action was done to. Plans, languages and frequencies are stored by their
// database names, which it translates.
func subjectText(r *page.Request, a account.Activity) string {
	var prefix string
	switch a.Action {
	case account.AccountCreated, account.PlanChanged:
		prefix = "plan."
	case account.DigestSet:
		prefix = "digest."
	case account.LanguageChanged:
		prefix = "settings.language."
	default:
		return a.Subject
	}
	if r.Text.Has(prefix + a.Subject) {
		return r.Text.Must(prefix + a.Subject)
	}
	return a.Subject
}
