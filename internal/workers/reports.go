package workers

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/jobs"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/mail"
	"github.com/palmares-hq/palmares/internal/metrics"
	"github.com/palmares-hq/palmares/internal/report"
)

// Reports returns the jobs that mail readers' reports to the operator, send answers, and delete old rows. Without an
// address of the operator, or without a mailer, the operator gets no mail and has to list the reports.
func (m *Mails) Reports(reports *report.Service) jobs.Group {
	m.watchReports()
	tells := m.Mailer != nil && m.Contact != ""
	if !tells {
		m.Logger.Info("nobody is told by mail of the errors that readers report; " +
			"set PALMARES_CONTACT and PALMARES_SMTP_URL, or look at palmares reports list")
	}
	return jobs.Group{
		Name: "reports",
		Add: func(cfg *river.Config) {
			river.AddWorker(cfg.Workers, river.WorkFunc(func(ctx context.Context, _ *river.Job[tellReports]) error {
				if !tells {
					return nil
				}
				_, err := reports.Tell(ctx)
				return err
			}))
			river.AddWorker(cfg.Workers, river.WorkFunc(func(ctx context.Context, job *river.Job[report.MailDigest]) error {
				return m.sendDigest(ctx, reports, job.Args.Digest)
			}))
			river.AddWorker(cfg.Workers, river.WorkFunc(func(ctx context.Context, job *river.Job[report.MailAnswer]) error {
				return reports.Mail(ctx, job.Args.Report, m.sendAnswer(job.Args.Report))
			}))
			cfg.PeriodicJobs = append(cfg.PeriodicJobs, periodic(tellEvery, tellReports{}))
		},
		Tidy:   reports.Tidy,
		Remote: []string{report.MailDigest{}.Kind(), report.MailAnswer{}.Kind()}, // they send mail
	}
}

// tellReports is the job that makes a digest of the reports that the operator was not told of yet.
type tellReports struct{}

// Kind implements river.JobArgs.
func (tellReports) Kind() string { return "report_tell" }

// tellEvery is how long the first report after a quiet hour waits at most.
const tellEvery = 15 * time.Second

// maxLines is how many reports a digest lists at most.
const maxLines = 20

// sendDigest mails the operator the reports of a digest, without those that were deleted meanwhile.
func (m *Mails) sendDigest(ctx context.Context, reports *report.Service, id int64) error {
	if m.Mailer == nil || m.Contact == "" { // the settings changed
		return river.JobSnooze(time.Hour)
	}
	found, total, err := reports.Digest(ctx, id, maxLines)
	if err != nil || total == 0 {
		return err
	}
	header, err := m.header(ctx, m.Contact, account.French, fmt.Sprintf("report-digest-%d", id))
	if err != nil {
		return err
	}
	lines := make([]mail.ReportLine, len(found))
	for i, l := range found {
		lines[i] = mail.ReportLine{ID: l.ID, Slug: l.Slug, Field: string(l.Field), Wanted: l.Wanted}
	}
	return m.send(ctx, mail.ReportDigest(header, lines, total), refusedMail)
}

// sendAnswer returns a function that mails the operator's answer to a report.
func (m *Mails) sendAnswer(id int64) func(context.Context, report.Answer) error {
	return func(ctx context.Context, a report.Answer) error {
		if m.Mailer == nil {
			return river.JobSnooze(time.Hour)
		}
		header, err := m.header(ctx, a.Email, a.Language, fmt.Sprintf("report-answer-%d", id))
		if err != nil {
			return err
		}
		link := ""
		if m.BaseURL != "" {
			link = m.BaseURL + address.Tool.At(locale.Tagged(string(a.Language)), a.Slug)
		}
		return m.send(ctx, mail.ReportAnswer(header, link, a.Text), refusedMail)
	}
}

// watchReports sets the gauge of how long the oldest report has waited to be mailed.
func (m *Mails) watchReports() {
	age := metrics.NewGauge(m.Registry, "palmares_reports_untold_seconds",
		"How long the oldest report of an error waits that no mail tells of; an hour at most where mail is sent.")
	m.Background(func(ctx context.Context) {
		metrics.Watch(ctx, m.WatchEvery, func(ctx context.Context) bool {
			since, err := m.DB.Reports.Untold(ctx)
			metrics.Set(age, metrics.Since(since), err)
			return err == nil
		})
	})
}
