package account_test

import (
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

func TestLiveKey(t *testing.T) {
	t.Parallel()
	owner := [16]byte{0xc7, 0xb0, 0xed, 0x16, 0xb8, 0x3d, 0x46, 0xda, 0xa3, 0xce, 0x55, 0xa1, 0x51, 0x13, 0x7e, 0x73}
	for _, id := range []string{"k", "key_pro", "key_kfbs2jw2gdnk"} {
		k, err := account.NewLiveKey(account.NewKey().Hash(), id, owner, account.Pro)
		if err != nil {
			t.Fatal(err)
		}
		want := account.Grant{KeyID: id, AccountID: "c7b0ed16-b83d-46da-a3ce-55a151137e73", Plan: account.Pro}
		if got := k.Grant(); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	second := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for end, want := range map[time.Time]uint32{second: 1772355600, second.Add(1): 1772355601, second.Add(time.Second): 1772355601} {
		if got := (account.LiveKey{}).Until(end).End; got != want {
			t.Errorf("until %v: %d, want %d", end, got, want)
		}
	}
	for _, id := range []string{"", strings.Repeat("k", 17)} {
		if _, err := account.NewLiveKey(account.Hash{}, id, owner, account.Pro); err == nil {
			t.Errorf("%q is taken for an id", id)
		}
	}
}
