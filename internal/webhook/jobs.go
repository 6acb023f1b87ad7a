package webhook

// The queues of River. Endpoints that let us wait have one of their own, so that the
// others do not wait for them.
const (
	Queue     = "webhook"
	SlowQueue = "webhook_slow"
)

// FanOut is the job of a publication: it gives every endpoint that is behind a job.
// It commits with the publication.
type FanOut struct {
	Edition int64 `json:"edition"`
}

// Kind implements river.JobArgs.
func (FanOut) Kind() string { return "webhook_fan_out" }

// Deliver is the job of one endpoint. The claim tells the job that was meant from
// one that came back after its place had been taken.
type Deliver struct {
	Endpoint string `json:"endpoint"`
	Claim    int64  `json:"claim"`
}

// Kind implements river.JobArgs.
func (Deliver) Kind() string { return "webhook_deliver" }

// TellDisabled is the job of telling an owner that an endpoint was disabled. It holds
// the endpoint's id alone: addresses do not belong into jobs.
type TellDisabled struct {
	Endpoint string `json:"endpoint"`
}

// Kind implements river.JobArgs.
func (TellDisabled) Kind() string { return "webhook_tell_disabled" }
