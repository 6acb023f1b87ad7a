package node

import (
	"context"

	"github.com/palmares-hq/palmares/internal/mail"
	"github.com/palmares-hq/palmares/internal/mailjobs"
	"github.com/palmares-hq/palmares/internal/report"
)

// mails makes the jobs that send mail, once.
func (b *builder) mails(ctx context.Context) (*mailjobs.Mails, error) {
	if b.mailJobs != nil {
		return b.mailJobs, nil
	}
	db, err := b.database(ctx, b.workerPool())
	if err != nil {
		return nil, err
	}
	o := mailjobs.Options{
		DB: db, BaseURL: b.cfg.Base(), Logger: b.logger, Registry: b.registry, Background: b.background, WatchEvery: b.watchEvery,
	}
	if b.cfg.SMTPURL == "" {
		b.logger.Warn("no mail is sent: nobody can sign in, and owners are not told when an endpoint " +
			"is disabled; set PALMARES_SMTP_URL and PALMARES_MAIL_FROM")
	} else if o.Mailer, err = mail.NewSender(mail.Options{URL: b.cfg.SMTPURL.Reveal(), From: b.cfg.MailFrom}); err != nil {
		return nil, err
	}
	b.mailJobs = mailjobs.New(o)
	return b.mailJobs, nil
}

// addMails adds the jobs that send the mails of sign-ins and about settings and quotas, and delete what is
// old of accounts.
func (b *builder) addMails(ctx context.Context) error {
	mails, err := b.mails(ctx)
	if err != nil {
		return err
	}
	accounts, err := b.accounts(ctx, b.workerPool())
	if err != nil {
		return err
	}
	b.jobs = append(b.jobs, mails.SignIns(accounts.SignIns), mails.Settings(accounts.Changes, accounts.DeletionNotices))
	b.jobs = append(b.jobs, mails.Reports(report.NewService(report.Options{Store: mails.DB.Reports}), b.cfg.Contact))
	switch {
	case b.tellsUsage():
		b.jobs = append(b.jobs, mails.Usage(accounts.Notices, b.mayDerive(mails.DB.Webhooks)))
	case mails.Mailer != nil:
		b.logger.Warn("owners are not told by mail that they are near their limit; " +
			"set PALMARES_REDIS_URL and PALMARES_BASE_URL")
	}
	return nil
}
