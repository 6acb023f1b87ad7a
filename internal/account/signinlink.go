package account

import (
	"context"
	"errors"
	"slices"
)

// Elsewhere reports whether a link works, but not in the browser with that cookie: another one asked
// for it. It spends nothing.
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
