package web

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are the networks of the reverse proxies whose X-Forwarded-For is trusted. The empty
// Proxies trust nobody.
type Proxies []netip.Prefix

// ParseProxies parses networks ("10.0.0.0/8") and single addresses. It skips empty strings, and refuses
// to trust all addresses.
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
		// If everybody were trusted, the leftmost entry would count, which clients can forge.
		return netip.Prefix{}, fmt.Errorf("%q: the whole internet cannot be trusted: write the proxies' own network", s)
	}
	return prefix.Masked(), nil
}

// noProxy returns the error for a string that is no network or address. It shows what to write instead.
func noProxy(s string) error {
	return fmt.Errorf("%q is neither a network such as 10.0.0.0/8 nor an address such as 192.0.2.1", s)
}

// Wide returns the networks that are larger than anybody's own proxies need: larger than a /8 in IPv4
// or a /16 in IPv6. Anybody in such a network can pretend to be any client.
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

// ClientAddr returns the address of the client that sent r: the peer's own, unless the peer is a
// trusted proxy. Then it is the rightmost address in X-Forwarded-For that is not a trusted proxy's:
// each proxy appends the address of its peer, so the client can forge only the left end.
//
// It stops at an entry that is not an address, and after 32 entries; the client is then the last proxy
// reached. It returns the zero Addr when the peer has no IP address, as on a Unix socket.
func (p Proxies) ClientAddr(r *http.Request) netip.Addr {
	peer, ok := parseAddr(r.RemoteAddr)
	if !ok || !p.trust(peer) {
		return peer
	}
	return p.forwardedFor(r, peer)
}

// forwardedFor returns the client according to X-Forwarded-For, from a peer that is trusted.
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

// parseAddr parses an address with or without a port: 1.2.3.4, 1.2.3.4:5, ::1, [::1] or [::1]:5.
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

// normal returns the canonical form of an address, so that no client has two.
func normal(addr netip.Addr) netip.Addr { return addr.Unmap().WithZone("") }
