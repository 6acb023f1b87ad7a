package node

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/palmares-hq/palmares/internal/availability"
)

// recordAnswers notes what the API answers, for the page about the status.
func (b *builder) recordAnswers(ctx context.Context) error {
	db, err := b.database(ctx, metricsPool)
	if err != nil {
		return err
	}
	r := availability.NewRecorder(availability.Options{
		Node: rand.Text(), Sum: b.answers.Sum, Store: db.Answers, Logger: b.logger, Now: time.Now,
	})
	b.background(r.Run)
	b.gauge("palmares_answers_unwritten_seconds", "How long ago writing down what the API answered began to fail; 0 while it is written every minute.",
		func() float64 { return r.Behind().Seconds() })
	return nil
}
