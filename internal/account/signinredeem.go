package account

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/palmares-hq/palmares/internal/secrets"
)

// RedeemLink spends the token of a link in the browser with that cookie and returns the account,
// which it creates if there is none. The browser must be the one that asked, or one that asked when
// the recipient could get no further mail, unless the operator made the link. Returns ErrNoSignIn
// if the token signs nobody in, and ErrTooManyAccounts if the network of from has created too many.
//
// Everybody may try.
func (s *SignIns) RedeemLink(ctx context.Context, token, browser string, from netip.Addr) (Account, error) {
	hash, now := HashOf(token), s.now()
	claim := Claim{Token: &hash, Browsers: s.browserHashes(browser), Networks: s.signUpLimits(from)}
	return s.store.Redeem(ctx, claim, now, func(found []SignIn) Redemption {
		return s.link(hash, claim.Browsers, found, now)
	})
}

// link returns the redemption of a link in a browser, given the sign-ins of its claim.
func (s *SignIns) link(token Hash, browsers [][]byte, found []SignIn, now time.Time) Redemption {
	for _, in := range found {
		if in.TokenHash != token || !in.works(now) {
			continue
		}
		if in.byOperator() {
			return s.spend(in)
		}
		for _, asked := range found {
			if s.asked(asked, browsers) && (asked.ID == in.ID || asked.Limited && asked.Email == in.Email) {
				return s.spend(in, asked)
			}
		}
	}
	return Redemption{Err: ErrNoSignIn}
}

// asked reports whether a browser asked for a sign-in and has tries left.
func (s *SignIns) asked(in SignIn, browsers [][]byte) bool {
	return !in.byOperator() && contains(browsers, in.Browser) && in.Tries < CodeTries && in.SpentAt.IsZero()
}

// RedeemCode spends a code in a browser that asked for it and returns the account, which it creates
// if there is none. It ignores spaces in the code. A wrong code counts against all sign-ins that
// the browser has asked for, whether or not a mail was sent, and against their addresses: it is a
// *WrongCodeError while there are tries left, and ErrNoSignIn after that. Returns
// ErrTooManyAccounts as RedeemLink does.
//
// Everybody may try.
func (s *SignIns) RedeemCode(ctx context.Context, code, browser string, from netip.Addr) (Account, error) {
	code = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, code)
	now := s.now()
	claim := Claim{Browsers: s.browserHashes(browser), Address: s.keys[0].address, Networks: s.signUpLimits(from)}
	return s.store.Redeem(ctx, claim, now, func(found []SignIn) Redemption {
		var missed []SignIn
		left := 0
		for _, in := range found {
			if !s.asked(in, claim.Browsers) || in.WrongCodes >= WrongCodesPerDay {
				continue
			}
			if mail, ok := mailOf(in, found, now); ok && s.isCode(mail, code) {
				return s.spend(mail, in)
			}
			missed = append(missed, in)
			left = max(left, min(CodeTries-in.Tries, WrongCodesPerDay-in.WrongCodes)-1)
		}
		if left == 0 {
			return Redemption{Missed: missed, Err: ErrNoSignIn}
		}
		return Redemption{Missed: missed, Err: &WrongCodeError{Left: left}}
	})
}

// mailOf returns the sign-in whose mail answers a browser's request: its own, or the last one to
// the address if the recipient could get no further mail.
func mailOf(asked SignIn, found []SignIn, now time.Time) (mail SignIn, ok bool) {
	if asked.works(now) {
		return asked, true
	}
	for _, in := range found {
		if asked.Limited && in.Email == asked.Email && in.works(now) && (!ok || in.SentAt.After(mail.SentAt)) {
			mail, ok = in, true
		}
	}
	return mail, ok
}

func (s *SignIns) isCode(in SignIn, code string) bool {
	for _, k := range s.keys {
		if in.CodeHash != nil && secrets.Equal(k.codeHash(in.ID, code), in.CodeHash) {
			return true
		}
	}
	return false
}

// spend returns the redemption of a sign-in and of the requests that it answers. Its account may be
// created if a mail would be sent to the address now, and never for a link of the operator, which
// is for an existing account.
func (s *SignIns) spend(in SignIn, asked ...SignIn) Redemption {
	r := Redemption{Spend: []string{in.ID}, Create: s.open && !s.blocked(in.Email) && !in.byOperator()}
	for _, a := range asked {
		if a.ID != in.ID {
			r.Spend = append(r.Spend, a.ID)
		}
	}
	return r
}

// signUpLimits returns the networks that count a new account, with their limits.
func (s *SignIns) signUpLimits(from netip.Addr) (all []NetworkLimit) {
	hashes := s.keys[0].networksOf(from)
	if from.Unmap().Is4() {
		return []NetworkLimit{{hashes[0], NewPerIPv4}}
	}
	for i, limit := range [len(hashes)]int{NewPer48, NewPer56, NewPer64} {
		all = append(all, NetworkLimit{hashes[i], limit})
	}
	return all
}

func (s *SignIns) browserHashes(cookie string) [][]byte {
	hashes := [][]byte{}
	for _, k := range s.keys {
		hashes = append(hashes, k.browserHash(cookie))
	}
	return hashes
}

func contains(hashes [][]byte, hash []byte) bool {
	for _, h := range hashes {
		if secrets.Equal(h, hash) {
			return true
		}
	}
	return false
}

// Elsewhere reports whether a link works, but only in another browser than the one with that
// cookie. It spends nothing.
//
// Everybody may ask.
func (s *SignIns) Elsewhere(ctx context.Context, token, browser string) (other bool, err error) {
	hash, now := HashOf(token), s.now()
	claim := Claim{Token: &hash, Browsers: s.browserHashes(browser)}
	_, err = s.store.Redeem(ctx, claim, now, func(found []SignIn) Redemption {
		works := slices.ContainsFunc(found, func(in SignIn) bool { return in.TokenHash == hash && in.works(now) })
		other = works && len(s.link(hash, claim.Browsers, found, now).Spend) == 0
		return Redemption{Err: ErrNoSignIn} // nobody signs in yet
	})
	if errors.Is(err, ErrNoSignIn) {
		err = nil
	}
	return other, err
}
