package postgres

import "github.com/palmares-hq/palmares/internal/webhook"

// Columns of reasons: the text, its code and its detail.
const (
	endpointReason = `reason, coalesce(reason_code, ''), coalesce(reason_detail, '')`
	errorReason    = `coalesce(error, ''), coalesce(error_code, ''), coalesce(error_detail, '')`
	endedReason    = `coalesce(ended, ''), coalesce(ended_code, ''), coalesce(ended_detail, '')`
)

// A reasonRow holds the columns of a reason.
type reasonRow struct {
	text   string
	code   webhook.ReasonCode
	detail string
}

// reason returns the reason in the row, whichever version of the program wrote it.
func (r reasonRow) reason() webhook.Reason { return webhook.StoredReason(r.text, r.code, r.detail) }
