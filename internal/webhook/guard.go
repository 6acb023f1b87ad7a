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

// Why the guard rejects a connection.
var (
	ErrNotPublic = errors.New("the address is not public")
	ErrPort      = fmt.Errorf("only port %d is allowed", httpsPort)
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

// NewGuard returns a function for net.Dialer.Control. The dialer calls it after DNS, with the address
// that it is about to connect to, so a name cannot pass a check and then resolve to another address.
// Addresses in allowed networks may have any port; all others must be public and on port 443.
func NewGuard(allow []netip.Prefix) func(network, address string, c syscall.RawConn) error {
	return NewPortGuard(allow, httpsPort)
}

// NewPortGuard is NewGuard with these ports instead of 443. The error for other ports is still ErrPort, which names
// port 443.
func NewPortGuard(allow []netip.Prefix, ports ...uint16) func(network, address string, c syscall.RawConn) error {
	allow, ports = slices.Clone(allow), slices.Clone(ports)
	return func(network, address string, _ syscall.RawConn) error {
		if network != "tcp4" && network != "tcp6" {
			return ErrNetwork
		}
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return ErrNotPublic
		}
		return checkAddress(to, allow, ports)
	}
}

func checkAddress(to netip.AddrPort, allow []netip.Prefix, ports []uint16) error {
	addr := to.Addr()
	switch {
	case slices.ContainsFunc(allow, func(p netip.Prefix) bool { return p.Contains(addr.Unmap()) }):
		return nil
	case public.SafeAddr(addr) != nil:
		return ErrNotPublic
	case !slices.Contains(ports, to.Port()):
		return ErrPort
	}
	return nil
}
