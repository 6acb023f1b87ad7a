package web

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are the networks of the reverse proxies whose X-Forwarded-For is believed. The empty
// Proxies believe nobody.
type Proxies []netip.Prefix

// ParseProxies reads networks ("10.0.0.0/8") and single addresses. Empty strings are skipped.
func ParseProxies(list []string) (Proxies, error) {
	var proxies Proxies
	for _, s := range list {
		s = strings.TrimSpace(s)
		if s == "" {
			continue
		}
		prefix, err := parsePrefix(s)
		if err != nil {
			return nil, err
		}
		proxies = append(proxies, prefix)
	}
	return proxies, nil
}

func parsePrefix(s string) (netip.Prefix, error) {
	if !strings.Contains(s, "/") {
		addr, err := netip.ParseAddr(s)
		if err != nil {
			return netip.Prefix{}, noProxy(s)
		}
		addr = normal(addr)
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(s)
	if err != nil {
		return netip.Prefix{}, noProxy(s)
	}
	if addr := prefix.Addr(); addr.Is4In6() {
		const mapped = 96 // the bits of ::ffff:0:0/96
		if prefix.Bits() < mapped {
			return netip.Prefix{}, fmt.Errorf("%q: a network of IPv4-mapped addresses has %d bits or more", s, mapped)
		}
		prefix = netip.PrefixFrom(addr.Unmap(), prefix.Bits()-mapped)
	}
	if prefix.Bits() == 0 {
		// With everybody trusted the leftmost entry counts, and clients write it.
		return netip.Prefix{}, fmt.Errorf("%q: the whole internet cannot be trusted: write the proxies' own network", s)
	}
	return prefix.Masked(), nil
}

// noProxy says what to write instead.
func noProxy(s string) error {
	return fmt.Errorf("%q is neither a network such as 10.0.0.0/8 nor an address such as 192.0.2.1", s)
}

// Wide lists the networks that are larger than anybody's own proxies need: larger than a /8 in IPv4
// or a /16 in IPv6. Whoever is in one can pretend to be any client.
func (p Proxies) Wide() []netip.Prefix {
	var wide []netip.Prefix
	for _, prefix := range p {
		least := 16
		if prefix.Addr().Is4() {
			least = 8
		}
		if prefix.Bits() < least {
			wide = append(wide, prefix)
		}
	}
	return wide
}

func (p Proxies) trust(addr netip.Addr) bool {
	for _, prefix := range p {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

const (
	maxForwarded      = 32 // more proxies than any real chain has
	maxForwardedEntry = len("[ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255%interface-name]:65535")
)

// ClientAddr is the address of the client that sent r: the peer's own, unless the peer is a trusted
// proxy. Then X-Forwarded-For is read from the right, because each proxy appends whom it heard and
// the client can only write the left end: trusted proxies are skipped, and the first other address
// is the client.
//
// Reading stops at an entry that is no address, and after 32 entries. The client is then the last
// proxy reached. It is the zero Addr when the peer has no IP address, as on a Unix socket.
func (p Proxies) ClientAddr(r *http.Request) netip.Addr {
	peer, ok := parseAddr(r.RemoteAddr)
	if !ok || !p.trust(peer) {
		return peer
	}
	return p.forwardedFor(r, peer)
}

// forwardedFor is the client that a trusted peer names.
func (p Proxies) forwardedFor(r *http.Request, peer netip.Addr) netip.Addr {
	client := peer
	lines := r.Header["X-Forwarded-For"]
	for left := maxForwarded; len(lines) > 0; lines = lines[:len(lines)-1] {
		rest, more := lines[len(lines)-1], true
		for more {
			if left--; left < 0 {
				return client
			}
			var entry string
			rest, entry, more = cutLast(rest)
			addr, ok := parseAddr(strings.Trim(entry, " \t"))
			if !ok {
				return client
			}
			client = addr
			if !p.trust(addr) {
				return client
			}
		}
	}
	return client
}

// cutLast cuts the last entry off a comma-separated list.
func cutLast(list string) (rest, last string, more bool) {
	i := strings.LastIndexByte(list, ',')
	if i < 0 {
		return "", list, false
	}
	return list[:i], list[i+1:], true
}

// parseAddr reads an address with or without a port: 1.2.3.4, 1.2.3.4:5, ::1, [::1] or [::1]:5.
func parseAddr(s string) (netip.Addr, bool) {
	if s == "" || len(s) > maxForwardedEntry {
		return netip.Addr{}, false
	}
	colon := strings.IndexByte(s, ':')
	bracketed := s[0] == '['
	switch {
	case bracketed && s[len(s)-1] == ']':
		s = s[1 : len(s)-1]
		if colon < 0 { // [1.2.3.4]
			return netip.Addr{}, false
		}
	case bracketed, colon >= 0 && colon == strings.LastIndexByte(s, ':'):
		ap, err := netip.ParseAddrPort(s)
		return normal(ap.Addr()), err == nil
	}
	addr, err := netip.ParseAddr(s)
	return normal(addr), err == nil
}

// normal gives an address its one form, so that a client cannot have two.
func normal(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }
