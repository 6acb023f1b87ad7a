package guard

import (
	"errors"
	"net"
	"net/netip"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestPublic(t *testing.T) {
	t.Parallel()
	refused := []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "100.127.255.255", "127.0.0.1", "127.255.255.254",
		"169.254.0.1", "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1",
		"192.168.0.1", "192.168.255.255", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250",
		"240.0.0.1", "255.255.255.254", "255.255.255.255", "168.63.129.16",
		"::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::808:808",
		"64:ff9b:1::7f00:1", "100::1", "2001::1", "2001:0:7f00:1::", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1", "2002:7f00:1::1", "2002:808:808::1",
		"3fff::1", "3ffe::1", "5f00::1", "4000::1", "fc00::1", "fd00::1", "fd00:ec2::254", "fe80::1", "fe80::a9fe:a9fe", "febf::1", "fec0::1", "ff02::1", "ff0e::1",
		"fe80::1%lo", "2606:4700::1111%lo", "::1%lo",
	}
	check := Public(nil, 443)
	for _, text := range refused {
		addr := netip.MustParseAddr(text)
		for _, port := range []uint16{443, 80, 22} {
			for _, network := range []string{"tcp4", "tcp6"} {
				if err := check(network, netip.AddrPortFrom(addr, port).String(), nil); !errors.Is(err, ErrNotPublic) {
					t.Errorf("%s port %d: %v", text, port, err)
				}
			}
		}
	}
	for _, text := range []string{"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.167.1.1", "223.255.255.255", "2606:4700::1111", "2a01:e0a::1", "2001:4860:4860::8888"} {
		addr := netip.MustParseAddr(text)
		if err := check("tcp4", netip.AddrPortFrom(addr, 443).String(), nil); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		for _, port := range []uint16{0, 1, 22, 25, 80, 442, 444, 6379, 8443, 65535} {
			if err := check("tcp4", netip.AddrPortFrom(addr, port).String(), nil); !errors.Is(err, ErrPort) {
				t.Errorf("%s port %d: %v", text, port, err)
			}
		}
	}
	for _, network := range []string{"tcp", "udp", "udp4", "udp6", "unix", "ip4:icmp", ""} {
		if err := check(network, "8.8.8.8:443", nil); !errors.Is(err, ErrNetwork) {
			t.Errorf("%s: %v", network, err)
		}
	}
	for _, address := range []string{"", "8.8.8.8", "example.com:443", "8.8.8.8:https", "/run/docker.sock", "08.8.8.8:443"} {
		if err := check("tcp4", address, nil); !errors.Is(err, ErrNotPublic) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestPublic_Ports(t *testing.T) {
	t.Parallel()
	check := Public([]netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, 80, 443)
	for address, want := range map[string]error{
		"8.8.8.8:80": nil, "8.8.8.8:443": nil, "8.8.8.8:8080": ErrPort, "8.8.8.8:22": ErrPort, "10.0.0.1:80": ErrNotPublic, "127.0.0.2:443": ErrNotPublic,
		"127.0.0.1:8080": nil,
	} {
		if err := check("tcp4", address, nil); !errors.Is(err, want) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestPublic_Allow(t *testing.T) {
	t.Parallel()
	allow := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00:1::/32")}
	ports := []uint16{443}
	check := Public(allow, ports...)
	allow[0], ports[0] = netip.MustParsePrefix("0.0.0.0/0"), 80 // it has copies
	for address, want := range map[string]error{
		"10.1.0.1:443": nil, "10.1.2.3:8080": nil, "[::ffff:10.1.2.3]:8080": nil, "[fd00:1::1]:80": nil,
		"10.2.0.1:443": ErrNotPublic, "[fd00:2::1]:80": ErrNotPublic, "127.0.0.1:443": ErrNotPublic, "[::ffff:10.2.0.1]:443": ErrNotPublic,
		"8.8.8.8:443": nil, "8.8.8.8:80": ErrPort, "[fd00:1::1%lo]:80": ErrNotPublic,
	} {
		if err := check("tcp4", address, nil); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", address, err, want)
		}
	}
	if err := check("udp4", "10.1.0.1:53", nil); !errors.Is(err, ErrNetwork) {
		t.Errorf("UDP to an allowed address: %v", err)
	}
}

// The error for a port names those that are allowed, also where the network's own error wraps it.
func TestErrPort_NamesPorts(t *testing.T) {
	t.Parallel()
	to := netip.MustParseAddrPort("8.8.8.8:25")
	testkit.Equal(t, "one port", Check(to, nil, 443).Error(), "only port 443 is allowed")
	testkit.Equal(t, "two ports", Check(to, nil, 80, 443).Error(), "only the ports 80, 443 are allowed")
	_, err := (&net.Dialer{Control: Public(nil, 80, 443)}).DialContext(t.Context(), "tcp", to.String())
	if !errors.Is(err, ErrPort) || errors.Is(err, ErrNotPublic) {
		t.Errorf("a dialer: %v", err)
	}
}
