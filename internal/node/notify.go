package node

import (
	"errors"
	"fmt"
	"net"
	"strings"
)

// A notifier tells systemd how the start goes, as sd_notify(3) describes: a datagram to the socket that the service manager names. Without
// one nothing is told.
type notifier struct{ socket string }

// maxStatus is the most that systemctl status shows of what is missing.
const maxStatus = 500

// notifierOf is that of a service manager which the environment names.
func notifierOf(environ []string) notifier {
	for _, pair := range environ {
		if socket, ok := strings.CutPrefix(pair, "NOTIFY_SOCKET="); ok {
			return notifier{socket}
		}
	}
	return notifier{}
}

func (s notifier) tell(lines ...string) error {
	if s.socket == "" {
		return nil
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: s.socket, Net: "unixgram"}) // knows the abstract ones by their @
	if err != nil {
		return fmt.Errorf("telling the service manager: %w", err)
	}
	_, err = c.Write([]byte(strings.Join(lines, "\n")))
	return errors.Join(err, c.Close())
}

// statusLine says what is missing in one line.
func statusLine(missing error) string {
	if missing == nil {
		return "serving"
	}
	line := strings.Join(strings.Fields(missing.Error()), " ")
	if len(line) > maxStatus {
		line = strings.ToValidUTF8(line[:maxStatus], "") + "…"
	}
	return line
}
