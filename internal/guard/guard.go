// Package guard keeps a program that connects to addresses of strangers out of private networks: a name, a
// redirect or a URL that somebody else wrote must not lead to what only this machine can reach.
//
// Begin with Public, which a net.Dialer asks about each address. Check answers the same for an address that is
// known before anybody connects.
package guard

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"code.dny.dev/ssrf"
)

// Why the guard rejects a connection.
var (
	ErrNotPublic = errors.New("the address is not public")
	ErrPort      = errors.New("the port is not allowed") // the error that is returned names those that are
	ErrNetwork   = errors.New("only TCP is allowed")
)

// public accepts only public internet addresses. The library denies IANA's special-purpose addresses,
// and all IPv6 that is not global unicast: IPv4-mapped and IPv4-compatible addresses, NAT64, unique
// local, link-local, site-local and multicast. The prefixes added here are in no registry.
var public = ssrf.New(
	ssrf.WithDeniedV4Prefixes(
		netip.MustParsePrefix("168.63.129.16/32"), // Azure's platform, as its virtual machines see it
	),
	ssrf.WithDeniedV6Prefixes(
		netip.MustParsePrefix("3ffe::/16"), // the former 6bone, unassigned
	),
)

// Public returns a function for net.Dialer.Control. The dialer calls it after DNS, with the address
// that it is about to connect to, so a name cannot pass a check and then resolve to another address.
// Addresses in allowed networks may have any port; all others must be public and have one of the ports.
func Public(allow []netip.Prefix, ports ...uint16) func(network, address string, c syscall.RawConn) error {
	allow, ports = slices.Clone(allow), slices.Clone(ports)
	return func(network, address string, _ syscall.RawConn) error {
		if network != "tcp4" && network != "tcp6" {
			return ErrNetwork
		}
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return ErrNotPublic
		}
		return Check(to, allow, ports...)
	}
}

// Check returns the error with which Public's function rejects a TCP connection to an address; nil if it does not.
func Check(to netip.AddrPort, allow []netip.Prefix, ports ...uint16) error {
	addr := to.Addr()
	switch {
	case slices.ContainsFunc(allow, func(p netip.Prefix) bool { return p.Contains(addr.Unmap()) }):
		return nil
	case public.SafeAddr(addr) != nil:
		return ErrNotPublic
	case !slices.Contains(ports, to.Port()):
		return &portError{ports}
	}
	return nil
}

// A portError is ErrPort, and names the ports that are allowed.
type portError struct{ allowed []uint16 }

func (e *portError) Error() string {
	if len(e.allowed) == 1 {
		return fmt.Sprintf("only port %d is allowed", e.allowed[0])
	}
	names := make([]string, len(e.allowed))
	for i, port := range e.allowed {
		names[i] = strconv.Itoa(int(port))
	}
	return "only the ports " + strings.Join(names, ", ") + " are allowed"
}

func (*portError) Is(target error) bool { return target == ErrPort }
