package testkit

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// The range of FreeAddress. It lies below the ports from which systems choose when a program names none (Linux: 32768
// and above), so that no program gets one by accident. A Redis cluster node also takes the port 10,000 above its own,
// which is outside the range, so that no other test gets it either.
const firstPort, lastPort = 11_000, 17_999

// FreeAddress returns a loopback address with a free port, for a program that has to be told where to listen. It is
// reserved until the test ends: no other test on this machine gets it, even in another process.
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

// FreePort returns the port of a FreeAddress.
func FreePort(tb testing.TB) int {
	tb.Helper()
	_, port, err := net.SplitHostPort(FreeAddress(tb))
	Must(tb, err)
	n, err := strconv.Atoi(port)
	Must(tb, err)
	return n
}

// reserve reserves a port until the test ends. It fails if another test has reserved it or a program listens on it.
func reserve(tb testing.TB, port int) (address string, err error) {
	tb.Helper()
	// A socket with an abstract name is a lock that the kernel releases when the process ends, even by a crash.
	lock, err := (&net.ListenConfig{}).Listen(tb.Context(), "unix", fmt.Sprintf("@palmares-test-port-%d", port))
	if err != nil {
		return "", err
	}
	address = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	l, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", address)
	if err != nil {
		return "", errors.Join(err, lock.Close())
	}
	tb.Cleanup(func() { _ = lock.Close() }) // an abstract socket leaves no file
	return address, l.Close()
}
