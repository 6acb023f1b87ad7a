package portal

import (
	"strings"

	"github.com/palmares-hq/palmares/internal/account"
)

// How many actions of the log the page shows, and how many of them at first.
const (
	maxActivity    = 500
	recentActivity = 10
)

// An activityRow is an action of the log in words.
type activityRow struct {
	account.Activity
	What    string // what was done
	Subject string // to what; or ""
	Who     string // did it
}

// activity reads the log of the account's actions, the newest first.
func (r *request) activity() (recent, earlier []activityRow, err error) {
	list, err := r.portal.o.Accounts.Activity(r.ctx, r.by, r.account.ID, maxActivity)
	if err != nil {
		return nil, nil, err
	}
	rows := make([]activityRow, len(list))
	for i, a := range list {
		rows[i] = activityRow{Activity: a, What: r.action(a.Action), Subject: r.subject(a), Who: r.doer(a.By)}
	}
	n := min(len(rows), recentActivity)
	return rows[:n], rows[n:], nil
}

// action is the text of an action. One that a newer version of the service has recorded stays as
// it is.
func (r *request) action(a account.Action) string {
	if name := "activity." + strings.ReplaceAll(string(a), ".", "-"); r.Has(name) {
		return r.Must(name)
	}
	return string(a)
}

// doer is who did something. Of older lines nobody knows it.
func (r *request) doer(by account.Doer) string {
	switch by {
	case account.DoneByOwner:
		return r.Must("settings.activity.you")
	case account.DoneByOperator:
		return r.Must("settings.activity.operator")
	case account.DoneByService:
		return r.Must("settings.activity.service")
	default:
		return "–"
	}
}

// subject is what an action was done to. Plans and languages are recorded by their names in the
// database.
func (r *request) subject(a account.Activity) string {
	var prefix string
	switch a.Action {
	case account.AccountCreated, account.PlanChanged:
		prefix = "plan."
	case account.LanguageChanged:
		prefix = "settings.language."
	default:
		return a.Subject
	}
	if r.Has(prefix + a.Subject) {
		return r.Must(prefix + a.Subject)
	}
	return a.Subject
}
