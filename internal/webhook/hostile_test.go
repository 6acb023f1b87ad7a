package webhook

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/palmares-hq/palmares/internal/guard"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// hostile are URLs that lead inside, in many spellings. ParseURL refuses all of them.
var hostile = []string{
	// Loopback, plain and in the spellings of inet_aton.
	"https://127.0.0.1/", "https://127.0.0.2/", "https://127.255.255.254/", "https://127.1/", "https://127.0.1/", "https://2130706433/", "https://017700000001/",
	"https://0177.0.0.1/", "https://0177.0.0.01/", "https://127.0.0.01/", "https://127.000.000.001/", "https://0x7f000001/", "https://0x7f.0.0.1/", "https://0x7f.1/", "https://0x7F.0x0.0x0.0x1/",
	"https://0X7F000001/", "https://0x7f.0.0.0x1/", "https://127.0.0.1.0x/", "https://4294967297/", "https://383.0.0.1/", "https://127.0.0.257/", "https://0/", "https://0.0.0.0/", "https://00/", "https://0x0/",
	"https://127.0.0.1./", "https://2130706433./", "https://127.0.0.1../", "https://[127.0.0.1]/", "https://%31%32%37.0.0.1/", "https://１２７.0.0.1/", "https://127。0。0。1/", "https://①②⑦.0.0.1/",
	// Names.
	"https://localhost/", "https://LOCALHOST/", "https://LocalHost./", "https://localhost.:443/", "https://a.localhost/", "https://A.LOCALHOST./", "https://printer.local/", "https://metadata.google.internal/",
	"https://METADATA.GOOGLE.INTERNAL/computeMetadata/v1/", "https://internal/", "https://kubernetes/", "https://ｌｏｃａｌｈｏｓｔ/", "https://loc%61lhost/", "https://localhost%00.example.com/", "https://localhost%2eexample.com/",
	// IPv6.
	"https://[::]/", "https://[::1]/", "https://[0:0:0:0:0:0:0:1]/", "https://[0000::0001]/", "https://[::1%25lo]/", "https://[::1%lo]/", "https://[::]:443/", "https://::1/",
	"https://[::ffff:127.0.0.1]/", "https://[::FFFF:7f00:1]/", "https://[0:0:0:0:0:ffff:7f00:0001]/", "https://[::ffff:a9fe:a9fe]/", "https://[::ffff:0.0.0.0]/", "https://[::ffff:8.8.8.8]/",
	"https://[::127.0.0.1]/", "https://[::7f00:1]/", "https://[::ffff:0:127.0.0.1]/", "https://[64:ff9b::127.0.0.1]/", "https://[64:ff9b::7f00:1]/", "https://[64:ff9b::a9fe:a9fe]/", "https://[64:ff9b:1::7f00:1]/",
	"https://[2002:7f00:1::]/", "https://[2002:a9fe:a9fe::1]/", "https://[2001:0:7f00:1::]/", "https://[2001::80ff:fffe]/", "https://[fe80::1]/", "https://[fe80::1%25lo]/", "https://[fec0::1]/",
	"https://[fc00::1]/", "https://[fd00:ec2::254]/", "https://[ff02::1]/", "https://[100::1]/", "https://[2001:db8::1]/", "https://[3fff::1]/",
	// Networks that are not the internet.
	"https://10.0.0.1/", "https://172.16.0.1/", "https://192.168.1.1/", "https://100.64.0.1/", "https://100.100.100.200/latest/meta-data/", "https://169.254.169.254/latest/meta-data/", "https://169.254.170.2/v2/credentials",
	"https://2852039166/", "https://0xa9fea9fe/", "https://0251.0376.0251.0376/", "https://169.254.43518/", "https://192.0.0.192/", "https://168.63.129.16/", "https://198.18.0.1/", "https://192.0.2.1/", "https://198.51.100.1/", "https://203.0.113.1/",
	"https://224.0.0.1/", "https://240.0.0.1/", "https://255.255.255.255/", "https://0.0.0.1/", "https://192.88.99.1/",
	// Whose host is it?
	"https://hooks.example.com@127.0.0.1/", "https://hooks.example.com:443@127.0.0.1:443/", "https://127.0.0.1#@hooks.example.com/", "https://127.0.0.1?@hooks.example.com/", "https://hooks.example.com\\@127.0.0.1/",
	"https://127.0.0.1\\@hooks.example.com/", "https://hooks.example.com%40127.0.0.1/", "https://@127.0.0.1/", "https://a:b@[::1]/", "https://127.0.0.1%2f@hooks.example.com/", "https://127.0.0.1 @hooks.example.com/",
	"https://hooks.example.com\t@127.0.0.1/", "https://127.0.0.1;hooks.example.com/", "https://127.0.0.1,hooks.example.com/", "https:///127.0.0.1/", "https:/127.0.0.1/", "https:127.0.0.1/", "//127.0.0.1/",
	// Ports and schemes.
	"https://127.0.0.1:80/", "https://127.0.0.1:22/", "https://hooks.example.com:22/", "https://hooks.example.com:6379/", "https://8.8.8.8:53/", "http://127.0.0.1/", "http://hooks.example.com/", "http://169.254.169.254/",
	"gopher://127.0.0.1:6379/_x", "file:///etc/passwd", "ftp://127.0.0.1/", "unix:///run/docker.sock", "HTTP://127.0.0.1/",
}

func TestHostileURLs_AreRefused(t *testing.T) {
	t.Parallel()
	for _, raw := range hostile {
		if got, err := ParseURL(raw, nil); err == nil {
			t.Errorf("%q was read as %q", raw, got)
		}
	}
}

// A canary listens where no delivery may ever go.
type canary struct {
	ports    []int
	accepted atomic.Int64
}

func newCanary(t *testing.T) *canary {
	t.Helper()
	c := &canary{}
	var serving sync.WaitGroup
	t.Cleanup(serving.Wait) // after the listeners are closed
	for _, address := range []string{"127.0.0.1:0", "[::1]:0", "127.0.0.1:443", "[::1]:443"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Logf("no canary on %s: %v", address, err) // 443 needs a privilege
			continue
		}
		if port := l.Addr().(*net.TCPAddr).Port; !slices.Contains(c.ports, port) {
			c.ports = append(c.ports, port)
		}
		serving.Go(func() {
			for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
				c.accepted.Add(1)
				conn.Close()
			}
		})
		t.Cleanup(func() { l.Close() })
	}
	if len(c.ports) == 0 {
		t.Fatal("nothing to listen on")
	}
	return c
}

func resolverAt(server string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server)
	}}
}

// dns serves names on loopback and returns a resolver that asks nobody else.
func dns(t *testing.T, answer func(name string) []netip.Addr) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	testkit.Must(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for buf := make([]byte, 1500); ; {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			m = dnsmessage.Message{Header: dnsmessage.Header{ID: m.ID, Response: true, RecursionAvailable: true}, Questions: m.Questions}
			head := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
			for _, addr := range answer(strings.TrimSuffix(q.Name.String(), ".")) {
				switch {
				case q.Type == dnsmessage.TypeA && addr.Is4():
					m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: addr.As4()}})
				case q.Type == dnsmessage.TypeAAAA && addr.Is6():
					m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
				}
			}
			if packed, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(packed, from)
			}
		}
	}()
	t.Cleanup(func() { conn.Close(); <-done })
	return resolverAt(conn.LocalAddr().String())
}

func addrs(texts ...string) []netip.Addr {
	var list []netip.Addr
	for _, text := range texts {
		list = append(list, netip.MustParseAddr(text))
	}
	return list
}

// With ParseURL out of the way, and a resolver that leads every name to loopback, nothing arrives
// there.
func TestHostileURLs_ReachNobody(t *testing.T) {
	t.Parallel()
	c := newCanary(t)
	resolver := dns(t, func(string) []netip.Addr { return addrs("127.0.0.1", "::1") })
	// The canary notices connections, and the resolver leads to it.
	for i, host := range []string{"127.0.0.1", "hooks.example.com"} {
		conn, err := (&net.Dialer{Resolver: resolver}).Dial("tcp4", net.JoinHostPort(host, strconv.Itoa(c.ports[0])))
		testkit.Must(t, err)
		conn.Close()
		testkit.EventuallyTrue(t, "the canary notices a connection", func() bool { return c.accepted.Load() == int64(i+1) })
	}
	c.accepted.Store(0)

	plain := NewSender(SenderOptions{Resolver: resolver, Timeout: time.Minute})
	defer plain.Close()
	// This one accepts http and any port, and another network than the canary's.
	open := NewSender(SenderOptions{Resolver: resolver, Timeout: time.Minute, Allow: []netip.Prefix{netip.MustParsePrefix("192.0.2.128/25")}})
	defer open.Close()
	guarded := 0
	for _, target := range hostile {
		if strings.Contains(target, "8.8.8.8") {
			continue // a public address: nothing is to leave this machine
		}
		variants := []string{target}
		if u, err := url.Parse(target); err == nil && u.Hostname() != "" {
			host := strings.ReplaceAll(u.Hostname(), "%", "%25")
			for _, port := range c.ports {
				address := net.JoinHostPort(host, strconv.Itoa(port))
				variants = append(variants, "http://"+address+"/", "https://"+address+"/")
			}
		}
		for _, raw := range variants {
			for _, s := range []*Sender{plain, open} {
				r := s.Send(t.Context(), Message{URL: raw, ID: "msg_x", Body: []byte("{}"), Secrets: []Secret{NewSecret()}})
				if r.Reason == (Reason{}) || r.OK() || r.Status != 0 || r.TimedOut {
					t.Errorf("%q: %+v", raw, r)
				}
				if r.Reason.Code == AddressNotPublic {
					guarded++
				}
			}
		}
	}
	testkit.Equal(t, "connections that arrived inside", c.accepted.Load(), int64(0))
	if guarded < 200 {
		t.Errorf("the guard rejected only %d: not much of a test", guarded)
	}
}

// Names that lead inside: all answers, some of them well hidden, or only when the connection is made.
func TestNamesThatLeadInside(t *testing.T) {
	t.Parallel()
	for _, answers := range [][]netip.Addr{
		addrs("127.0.0.1"), addrs("::1"), addrs("::ffff:127.0.0.1"), addrs("10.0.0.1", "192.168.0.1"), addrs("64:ff9b::7f00:1"), addrs("2002:7f00:1::1"),
		addrs("169.254.169.254"), addrs("fd00:ec2::254"), addrs("0.0.0.0", "::"), addrs("::127.0.0.1"), addrs("100.64.0.1"), addrs("fe80::1"),
	} {
		s := NewSender(SenderOptions{Resolver: dns(t, func(string) []netip.Addr { return answers }), Timeout: time.Minute})
		if r := s.Send(t.Context(), Message{URL: "https://hooks.example.com/"}); r.Reason.Code != AddressNotPublic || r.Status != 0 {
			t.Errorf("%v: %+v", answers, r)
		}
		s.Close()
	}
	c := newCanary(t)
	var asked atomic.Int64
	resolver := dns(t, func(string) []netip.Addr {
		if asked.Add(1) <= 2 { // A and AAAA of the first look
			return addrs("93.184.215.14", "2606:4700::1111")
		}
		return addrs("127.0.0.1", "::1")
	})
	seen, err := resolver.LookupNetIP(t.Context(), "ip", "rebind.example")
	if err != nil || len(seen) != 2 {
		t.Fatal(seen, err)
	}
	for _, addr := range seen {
		if err := guard.Check(netip.AddrPortFrom(addr.Unmap(), 443), nil, 443); err != nil {
			t.Fatalf("the first look shows %s already: %v", addr, err)
		}
	}
	s := NewSender(SenderOptions{Resolver: resolver, Timeout: time.Minute})
	defer s.Close()
	for range 3 {
		if r := s.Send(t.Context(), Message{URL: "https://rebind.example/"}); r.Reason.Code != AddressNotPublic {
			t.Errorf("%+v", r)
		}
	}
	testkit.Equal(t, "connections that arrived inside", c.accepted.Load(), int64(0))
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	c := newCanary(t)
	var second atomic.Int64
	base := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/second" {
			second.Add(1)
			return
		}
		status, _ := strconv.Atoi(r.URL.Query().Get("status"))
		w.Header().Set("Location", r.URL.Query().Get("to"))
		w.WriteHeader(status)
	})
	s := newSender(t, SenderOptions{Timeout: time.Minute})
	inside := "127.0.0.1:" + strconv.Itoa(c.ports[0])
	for _, status := range []int{300, 301, 302, 303, 304, 307, 308, 399} {
		for _, to := range []string{"http://" + inside + "/", "https://" + inside + "/", "//" + inside, "http://[::1]:" + strconv.Itoa(c.ports[0]) + "/", "/second"} {
			r := s.Send(t.Context(), Message{URL: base + "/?" + url.Values{"status": {strconv.Itoa(status)}, "to": {to}}.Encode()})
			if r.OK() || r.Status != status || !strings.Contains(r.Reason.String(), "redirects are not followed") {
				t.Errorf("%d %s: %+v", status, to, r)
			}
		}
	}
	testkit.Equal(t, "redirects that were followed", c.accepted.Load()+second.Load(), int64(0))
}
