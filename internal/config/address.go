package config

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
)

// Unsafe reports whether the service has a public address over plain http.
func (c Address) Unsafe() bool {
	u, err := url.Parse(c.BaseURL)
	return err == nil && u.Scheme == "http" && c.Public()
}

// Public reports whether the host of the service's address can be reached from beyond this machine
// and its own network.
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

// CheckListen returns an error if nothing can listen on address; it says what to write instead. name is the
// name of the setting.
func CheckListen(name, address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil && port != "" {
		if _, err := net.DefaultResolver.LookupPort(context.Background(), "tcp", port); err != nil {
			return fmt.Errorf("%s is %q: its port is no number from 0 to 65535", name, address)
		}
		return nil
	}
	if digits.MatchString(address) {
		return fmt.Errorf("%s is %q: an address ends with a colon and a port: write :%s for every address of this machine, "+
			"or 127.0.0.1:%s for this machine alone", name, address, address, address)
	}
	return fmt.Errorf("%s is %q: it is an address and a port, such as :8080 or 127.0.0.1:8080", name, address)
}

// checkListeners checks the addresses that a node listens on: each must be valid, and they must not collide.
func checkListeners(public, admin string) error {
	errs := []error{CheckListen("PALMARES_LISTEN", public), CheckListen("PALMARES_ADMIN_LISTEN", admin)}
	if sameListener(public, admin) {
		errs = append(errs, fmt.Errorf("PALMARES_ADMIN_LISTEN is %q, and PALMARES_LISTEN %q: a port has one listener, "+
			"and the public must not reach the operators'; choose another", admin, public))
	}
	return errors.Join(errs...)
}

// sameListener reports whether the addresses cannot both be listened on.
func sameListener(a, b string) bool {
	hostA, portA, errA := listener(a)
	hostB, portB, errB := listener(b)
	return errA == nil && errB == nil && portA == portB && portA != 0 && (hostA == hostB || everywhere(hostA) || everywhere(hostB))
}

// listener splits an address into its host and its port number. It resolves port names, and localhost to
// 127.0.0.1.
func listener(address string) (host string, port int, err error) {
	host, name, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	port, err = net.DefaultResolver.LookupPort(context.Background(), "tcp", name)
	return host, port, err
}

// everywhere reports whether a host to listen on means all addresses of the machine.
func everywhere(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "" || err == nil && ip.IsUnspecified()
}
