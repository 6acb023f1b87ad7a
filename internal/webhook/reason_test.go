package webhook_test

import (
	"net/netip"
	"testing"

	"github.com/palmares-hq/palmares/internal/guard"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// texts are what programs that know no codes have stored, with the reasons that they are.
var texts = map[string]webhook.Reason{
	"it has not answered its challenge yet":                         {Code: webhook.NotVerified},
	"the account is no longer on the Pro plan: webhooks are paused": {Code: webhook.NotPro},
	"disabled by its owner":                                         {Code: webhook.DisabledByOwner},
	"moved, see ticket 12":                                          {Code: webhook.InWords, Detail: "moved, see ticket 12"},
	"every attempt has failed since Monday":                         {Code: webhook.InWords, Detail: "every attempt has failed since Monday"},
	"every attempt has failed since 2026-03-01T09:00:00Z":           {Code: webhook.AllFailed, Detail: "2026-03-01T09:00:00Z"},
	"the receiver answered 410 Gone at 2026-03-01T09:00:00Z":        {Code: webhook.AnsweredGone, Detail: "2026-03-01T09:00:00Z"},
	"its secret cannot be opened: set the PALMARES_SECRET_PREVIOUS that sealed it, or palmares webhook rotate; " +
		"what is published meanwhile waits": {Code: webhook.SecretUnreadable},
	"the receiver answered 410 Gone":                        {Code: webhook.Answered, Detail: "410 Gone"},
	"the receiver answered 500 Internal Server Error":       {Code: webhook.Answered, Detail: "500 Internal Server Error"},
	"the receiver answered 599 ":                            {Code: webhook.Answered, Detail: "599 "},
	"the receiver answered 302: redirects are not followed": {Code: webhook.Redirected, Detail: "302"},
	"timed out after 15 s":                                  {Code: webhook.TimedOut, Detail: "15 s"},
	"interrupted before there was an answer":                {Code: webhook.Interrupted},
	"event 12 is not in the log any more":                   {Code: webhook.EventLost, Detail: "12"},
	"the URL is not valid":                                  {Code: webhook.URLNotValid},
	"the address is not public":                             {Code: webhook.AddressNotPublic},
	"only port 443 is allowed":                              {Code: webhook.PortNotAllowed},
	"only TCP is allowed":                                   {Code: webhook.NetworkNotAllowed},
	"the host name does not exist":                          {Code: webhook.HostNotFound},
	"the host name could not be resolved":                   {Code: webhook.HostNotResolved},
	"connection refused":                                    {Code: webhook.ConnectionRefused},
	"connection reset":                                      {Code: webhook.ConnectionReset},
	"no route to the host":                                  {Code: webhook.NoRoute},
	"connecting timed out":                                  {Code: webhook.ConnectTimedOut},
	"the receiver does not speak TLS":                       {Code: webhook.NoTLS},
	"the TLS handshake failed":                              {Code: webhook.HandshakeFailed},
	"the header of the answer is larger than 16 KB":         {Code: webhook.HeaderTooLarge},
	"the connection was closed without an answer":           {Code: webhook.ClosedWithoutAnswer},
	"the answer is not HTTP":                                {Code: webhook.NotHTTP},
	"the request failed":                                    {Code: webhook.RequestFailed},
	"certificate signed by an unknown authority":            {Code: webhook.CertificateUnknown},
	"certificate not valid for the host":                    {Code: webhook.CertificateOtherHost},
	"certificate expired or not valid yet":                  {Code: webhook.CertificateExpired},
	"certificate not valid":                                 {Code: webhook.CertificateNotValid},
	"":                                                      {},
}

func TestReasons(t *testing.T) {
	t.Parallel()
	seen := make(map[webhook.ReasonCode]bool)
	stale := webhook.Reason{Code: webhook.NotHTTP}
	for text, want := range texts {
		seen[want.Code] = true
		testkit.Equal(t, string(want.Code), want.String(), text)
		testkit.Equal(t, text+", stored with its code", webhook.StoredReason(text, want.Code, want.Detail), want)
		testkit.Equal(t, text+", stored without a code", webhook.StoredReason(text, "", ""), want)
		testkit.Equal(t, text+", stored beside an older code", webhook.StoredReason(text, stale.Code, "x"), want)
		testkit.Equal(t, text+", stored beside the code of a later program", webhook.StoredReason(text, "later", "x"), want)
	}
	for _, code := range webhook.Reasons() {
		if !seen[code] {
			t.Errorf("no text has the reason %s", code)
		}
	}
	// What an operator writes is not translated, even if it is one of our texts.
	own := webhook.Reason{Code: webhook.InWords, Detail: "connection refused"}
	testkit.Equal(t, "an operator's words", webhook.StoredReason(own.String(), own.Code, own.Detail), own)
	testkit.Equal(t, "the guard's texts",
		guard.ErrNotPublic.Error()+guard.Check(netip.MustParseAddrPort("8.8.8.8:81"), nil, 443).Error()+guard.ErrNetwork.Error(),
		webhook.Reason{Code: webhook.AddressNotPublic}.String()+webhook.Reason{Code: webhook.PortNotAllowed}.String()+
			webhook.Reason{Code: webhook.NetworkNotAllowed}.String())
}
