package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
)

// Unsafe reports whether the public reaches the service over http.
func (c Address) Unsafe() bool {
	u, err := url.Parse(c.BaseURL)
	return err == nil && u.Scheme == "http" && c.Public()
}

// Public reports whether the address of the service has a host that others than this machine and its own
// network can look up.
func (c Address) Public() bool {
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Host == "" {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return !ip.IsLoopback() && !ip.IsPrivate() && !ip.IsLinkLocalUnicast()
	}
	return strings.Contains(host, ".") && !strings.HasSuffix(host, ".localhost") &&
		!strings.HasSuffix(host, ".local") && !strings.HasSuffix(host, ".internal")
}

var digits = regexp.MustCompile(`^[0-9]+$`)

// CheckListen says what to write instead of an address that nothing can listen on. name is the
// setting's.
func CheckListen(name, address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil && port != "" {
		return nil
	}
	if digits.MatchString(address) {
		return fmt.Errorf("%s is %q: an address ends with a colon and a port: write :%s for every address of this machine, "+
			"or 127.0.0.1:%s for this machine alone", name, address, address, address)
	}
	return fmt.Errorf("%s is %q: it is an address and a port, such as :8080 or 127.0.0.1:8080", name, address)
}
