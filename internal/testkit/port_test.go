package testkit

import (
	"net"
	"strconv"
	"testing"
)

func TestFreeAddress_IsTheTestsOwn(t *testing.T) {
	t.Parallel()
	var port int
	t.Run("a test", func(t *testing.T) {
		port = FreePort(t)
		if port < firstPort || port > lastPort {
			t.Errorf("%d is a port that systems choose by themselves", port)
		}
		if _, err := reserve(t, port); err == nil {
			t.Errorf("%d is given twice", port)
		}
		l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
		Must(t, err)
		Must(t, l.Close())
	})
	if _, err := reserve(t, port); err != nil {
		t.Errorf("%d is still another test's: %v", port, err)
	}
}

func TestFreeAddress_IsFree(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", FreeAddress(t))
	Must(t, err)
	defer l.Close()
	// Another user of the port, who knows nothing of reservations.
	other, err := net.Listen("tcp", "127.0.0.1:0")
	Must(t, err)
	defer other.Close()
	taken := other.Addr().(*net.TCPAddr).Port
	if _, err := reserve(t, taken); err == nil {
		t.Errorf("%d is given, and somebody listens on it", taken)
	}
}
