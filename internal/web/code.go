package web

// A Code is the reason of an error, for programs. Its meaning never changes; new ones may come. openapi.yaml and the
// guides on errors say what each means.
type Code string

// The codes.
const (
	CodeRetired       Code = "retired"
	CodeRenamed       Code = "renamed"
	CodeUnknown       Code = "unknown"
	CodeOutsideTheSet Code = "outside_the_set"
	CodeBadParameter  Code = "bad_parameter"
	CodeKeyMissing    Code = "key_missing"
	CodeKeyInvalid    Code = "key_invalid" // revoked ones too, so that nobody learns that a key once existed
	CodeKeyDormant    Code = "key_dormant"
	CodeQuota         Code = "quota"
	CodeGone          Code = "gone"
	CodeNoSuchPath    Code = "no_such_path"
	CodeMethod        Code = "method"
	CodeTooLarge      Code = "too_large"
	CodeBusy          Code = "busy"
	CodeUnavailable   Code = "unavailable"
)

// Codes returns all codes.
func Codes() []Code {
	return []Code{
		CodeRetired, CodeRenamed, CodeUnknown, CodeOutsideTheSet, CodeBadParameter, CodeKeyMissing, CodeKeyInvalid, CodeKeyDormant,
		CodeQuota, CodeGone, CodeNoSuchPath, CodeMethod, CodeTooLarge, CodeBusy, CodeUnavailable,
	}
}

// A Reason is what an error says to programs, in JSON.
type Reason struct {
	Code      Code   `json:"code"`
	Parameter string `json:"parameter,omitempty"` // the one at fault, with CodeBadParameter
	Successor string `json:"successor,omitempty"` // the slug of the tool to use instead, with CodeRetired
}
