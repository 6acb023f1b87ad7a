package billing

import "github.com/riverqueue/river"

// Queue is River's queue of the jobs that ask the provider. They wait for it, so they have few
// workers, and no other job waits behind them. A program that sells nothing does not work it.
const Queue = "billing"

// InsertOpts implements river.JobArgsWithInsertOpts.
func (SyncAccount) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: Queue} }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (LeaveProvider) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: Queue} }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (UpdateCustomer) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: Queue} }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (CancelSubscription) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: Queue} }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (TellCharge) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: Queue} }
