// Package systemd notifies the service manager of the state of a process, as sd_notify(3) describes: by a datagram to
// the socket that the environment names. Without a socket it does nothing.
//
// Begin with FromEnviron.
package systemd

import (
	"errors"
	"fmt"
	"net"
	"strings"
)

// A Notifier sends notifications to the service manager.
type Notifier struct{ socket string }

// maxStatus is the longest status, in bytes.
const maxStatus = 500

// FromEnviron returns a Notifier for the service manager that the environment names; one that does nothing if
// there is none.
func FromEnviron(environ []string) Notifier {
	for _, pair := range environ {
		if socket, ok := strings.CutPrefix(pair, "NOTIFY_SOCKET="); ok {
			return Notifier{socket}
		}
	}
	return Notifier{}
}

// Listens reports whether there is a service manager to notify.
func (n Notifier) Listens() bool { return n.socket != "" }

// Tell sends lines such as READY=1. It does nothing without a service manager.
func (n Notifier) Tell(lines ...string) error {
	if n.socket == "" {
		return nil
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: n.socket, Net: "unixgram"}) // handles abstract sockets, which begin with @
	if err != nil {
		return fmt.Errorf("telling the service manager: %w", err)
	}
	_, err = c.Write([]byte(strings.Join(lines, "\n")))
	return errors.Join(err, c.Close())
}

// Status returns the STATUS line: the error missing if it is not nil, otherwise well.
func Status(missing error, well string) string {
	if missing == nil {
		return "STATUS=" + well
	}
	line := strings.Join(strings.Fields(missing.Error()), " ")
	if len(line) > maxStatus {
		line = strings.ToValidUTF8(line[:maxStatus], "") + "…"
	}
	return "STATUS=" + line
}
