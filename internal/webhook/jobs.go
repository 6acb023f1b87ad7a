package webhook

// River's queues. Slow endpoints have one of their own, so that the others do not wait for them.
const (
	Queue     = "webhook"
	SlowQueue = "webhook_slow"
)

// FanOut is the job of a publication, with which it commits. It gives every endpoint that is behind
// the log a Deliver job.
type FanOut struct {
	Edition int64 `json:"edition"`
}

// Kind implements river.JobArgs.
func (FanOut) Kind() string { return "webhook_fan_out" }

// Deliver is the job of delivering to one endpoint. A job whose claim is no longer the latest has
// been replaced by another, and does nothing.
type Deliver struct {
	Endpoint string `json:"endpoint"`
	Claim    int64  `json:"claim"`
}

// Kind implements river.JobArgs.
func (Deliver) Kind() string { return "webhook_deliver" }

// NotifyDisabled is the job of telling an owner that an endpoint was disabled. It holds the
// endpoint's id alone: jobs hold no e-mail addresses.
type NotifyDisabled struct {
	Endpoint string `json:"endpoint"`
}

// Kind implements river.JobArgs.
func (NotifyDisabled) Kind() string { return "webhook_tell_disabled" }
