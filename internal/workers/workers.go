package workers

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/mail"
	"github.com/palmares-hq/palmares/internal/metrics"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// Options configure Mails. All but Mailer, BaseURL, Contact and WatchEvery are required.
type Options struct {
	DB       *postgres.DB
	Mailer   *mail.Sender // nil: no mail is sent
	BaseURL  string       // of links; "" if it is not known
	Contact  string       // the operator's address; "": the operator gets no mail
	Logger   *slog.Logger
	Registry prometheus.Registerer
	// Background runs a task as long as the node.
	Background func(func(context.Context))
	// WatchEvery is how often gauges are read from PostgreSQL; 0 for the default of metrics.Watch.
	WatchEvery time.Duration
}

// Mails has the jobs that send mail.
type Mails struct {
	Options
	attempts *prometheus.CounterVec
}

// New returns the Mails of a node, and registers their metrics.
func New(o Options) *Mails {
	return &Mails{o, metrics.NewCounters(o.Registry, "palmares_mails_total",
		"Attempts to hand a mail to the mail server, by what came of them: sent, refused, failed (and tried again).", "outcome",
		mailSent, mailRefused, mailFailed)}
}

// Outcomes of an attempt to send a mail.
const (
	mailSent    = "sent"
	mailRefused = "refused" // the mail server will never accept it
	mailFailed  = "failed"  // it is tried again
)

// deliver hands a message to the mail server, and counts the outcome.
func (m *Mails) deliver(ctx context.Context, message mail.Message) error {
	err := m.Mailer.Send(ctx, message)
	outcome := mailSent
	switch {
	case mail.Permanent(err):
		outcome = mailRefused
	case err != nil:
		outcome = mailFailed
	}
	m.attempts.WithLabelValues(outcome).Inc()
	return err
}

// header returns the header of a mail, with the service's name and looks from the catalog.
func (m *Mails) header(ctx context.Context, to string, lang account.Language, id string) (mail.Header, error) {
	name, err := m.DB.Catalog.ServiceName(ctx)
	if err != nil {
		return mail.Header{}, err
	}
	look, err := m.look(ctx)
	if err != nil {
		return mail.Header{}, err
	}
	return mail.Header{
		Service: mail.Service{Name: name, BaseURL: m.BaseURL, Look: look}, To: to, Language: string(lang), ID: id,
	}, nil
}

// look returns the look of mails, with the theme and the logo of the current edition.
func (m *Mails) look(ctx context.Context) (mail.Look, error) {
	var css string
	var logo []byte
	theme, err := m.DB.Catalog.OperatorFile(ctx, catalog.ThemeFile)
	if err != nil {
		return mail.Look{}, err
	}
	if theme != nil {
		css = theme.Text
	}
	drawing, err := m.DB.Catalog.OperatorFile(ctx, catalog.LogoPicture)
	if err != nil {
		return mail.Look{}, err
	}
	if drawing != nil {
		logo = drawing.Picture()
	}
	return mail.NewLook(css, logo), nil
}

// send sends a message. If it is refused for good, send logs refused and returns nil: trying again would
// change nothing.
func (m *Mails) send(ctx context.Context, message mail.Message, refused string) error {
	err := m.deliver(ctx, message)
	if mail.Permanent(err) {
		m.Logger.Warn(refused, "mail", message.ID, "error", err)
		return nil
	}
	return err
}

// periodic returns a periodic job that is inserted at an interval, unless one is unfinished. It is tried only once,
// because the next one comes soon.
func periodic(every time.Duration, job river.JobArgs) *river.PeriodicJob {
	unfinished := []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning,
		rivertype.JobStateRetryable, rivertype.JobStateScheduled,
	}
	return river.NewPeriodicJob(river.PeriodicInterval(every), func() (river.JobArgs, *river.InsertOpts) {
		return job, &river.InsertOpts{MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByState: unfinished}}
	}, &river.PeriodicJobOpts{RunOnStart: true})
}

// otherNodeIn returns how long a mail waits that only another node can send. The time is random: otherwise nodes in
// step would take the same mail again and again.
func otherNodeIn() time.Duration { return time.Second + rand.N(2*time.Second) } //nolint:gosec // nobody gains from guessing it

// snoozed turns an error that asks to send a mail later, or on a node with another secret, into a snooze of River's
// job, which uses up no attempt. It calls count for the former. Other errors it returns unchanged.
func snoozed(err error, count func()) error {
	if later, ok := errors.AsType[*account.LaterError](err); ok {
		count()
		return river.JobSnooze(max(later.After, time.Second))
	}
	if errors.Is(err, account.ErrOtherSecret) {
		return river.JobSnooze(otherNodeIn())
	}
	return err
}

func uncounted() {}
