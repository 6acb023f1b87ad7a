package webhook

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"syscall"

	"code.dny.dev/ssrf"
)

const httpsPort = 443

// Why the guard refuses a connection.
var (
	ErrNotPublic = errors.New("the address is not public")
	ErrPort      = fmt.Errorf("only port %d is allowed", httpsPort)
	ErrNetwork   = errors.New("only TCP is allowed")
)

// public knows the addresses of the internet. The library denies what IANA's registries
// call special, and of IPv6 all that is not global unicast: IPv4-mapped and
// IPv4-compatible addresses, NAT64, unique local, link-local and site-local ones,
// multicast. What is added is in no registry.
var public = ssrf.New(
	ssrf.WithDeniedV4Prefixes(
		netip.MustParsePrefix("168.63.129.16/32"), // Azure's platform, seen from its virtual machines
	),
	ssrf.WithDeniedV6Prefixes(
		netip.MustParsePrefix("3ffe::/16"), // the former 6bone: nobody's
	),
)

// NewGuard makes the function that net.Dialer.Control calls with the address it is
// about to connect to, after DNS: what a name resolved to earlier does not matter.
// Addresses that are explicitly allowed may have any port, all others must be public
// and on port 443.
func NewGuard(allow []netip.Prefix) func(network, address string, c syscall.RawConn) error {
	allow = slices.Clone(allow)
	return func(network, address string, _ syscall.RawConn) error {
		if network != "tcp4" && network != "tcp6" {
			return ErrNetwork
		}
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return ErrNotPublic
		}
		return checkAddress(to, allow)
	}
}

func checkAddress(to netip.AddrPort, allow []netip.Prefix) error {
	addr := to.Addr()
	switch {
	case slices.ContainsFunc(allow, func(p netip.Prefix) bool { return p.Contains(addr.Unmap()) }):
		return nil
	case public.SafeAddr(addr) != nil:
		return ErrNotPublic
	case to.Port() != httpsPort:
		return ErrPort
	}
	return nil
}
