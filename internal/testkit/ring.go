package testkit

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/secrets"
)

// Ring returns a ring with the current master secret and previous ones.
func Ring(t testing.TB, current string, previous ...string) secrets.Ring {
	t.Helper()
	var before [][]byte
	for _, p := range previous {
		before = append(before, []byte(p))
	}
	ring, err := secrets.New([]byte(current), before...)
	Must(t, err)
	return ring
}
