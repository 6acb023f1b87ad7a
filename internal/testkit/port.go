package testkit

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// The ports that FreeAddress gives: below those from which systems choose when a program names
// none (Linux: 32768 and above), so that nobody gets one by accident. A Redis cluster takes the
// port 10,000 above its own as well, which nobody else is given either.
const firstPort, lastPort = 11_000, 17_999

// FreeAddress is an address of this machine for a program that has to be told where to listen. It is
// the test's own until the test ends: no other test on this machine is given it, in whichever process.
func FreeAddress(tb testing.TB) string {
	tb.Helper()
	for range 10_000 {
		port := firstPort + rand.IntN(lastPort-firstPort+1)
		if address, err := reserve(tb, port); err == nil {
			return address
		}
	}
	tb.Fatalf("no port between %d and %d is free", firstPort, lastPort)
	return ""
}

// FreePort is the port of a FreeAddress.
func FreePort(tb testing.TB) int {
	tb.Helper()
	_, port, err := net.SplitHostPort(FreeAddress(tb))
	Must(tb, err)
	n, err := strconv.Atoi(port)
	Must(tb, err)
	return n
}

// reserve keeps a port for a test, unless another test has it or somebody listens on it.
func reserve(tb testing.TB, port int) (address string, err error) {
	tb.Helper()
	// A socket with an abstract name is a lock that ends with the process, however that ends.
	lock, err := (&net.ListenConfig{}).Listen(tb.Context(), "unix", fmt.Sprintf("@palmares-test-port-%d", port))
	if err != nil {
		return "", err
	}
	address = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	l, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", address)
	if err != nil {
		return "", errors.Join(err, lock.Close())
	}
	tb.Cleanup(func() { _ = lock.Close() }) // it has no file to remove
	return address, l.Close()
}
