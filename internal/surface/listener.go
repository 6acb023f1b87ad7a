package surface

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
)

// A Listener binds its address at once, but accepts connections only after Open. Until then the kernel refuses them, so
// that a load balancer tries another node; an error response it would pass on to the client.
type Listener struct {
	address net.Addr
	setting string

	mu     sync.Mutex
	socket int          // -1 after Open or Close
	open   net.Listener // nil before Open
}

// Bind binds an address without accepting connections. setting is the name of the address's setting, for errors.
func Bind(ctx context.Context, address, setting string) (*Listener, error) {
	at, err := resolve(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	socket, err := bind(at)
	if err != nil {
		return nil, refused(err, address, setting)
	}
	l := &Listener{setting: setting, socket: socket}
	if l.address, err = boundAddress(socket); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", setting, err), l.Close())
	}
	return l, nil
}

// refused returns the error of an address that cannot be bound.
func refused(err error, address, setting string) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s is taken by another program: choose another address with %s", address, setting)
	}
	return fmt.Errorf("%s: %s: %w", setting, address, err)
}

// resolve looks up an address, preferring IPv4. Without a host it means all interfaces.
func resolve(ctx context.Context, address string) (*net.TCPAddr, error) {
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := net.DefaultResolver.LookupPort(ctx, "tcp", service)
	if err != nil {
		return nil, err
	}
	if host == "" {
		return &net.TCPAddr{Port: port}, nil
	}
	found, err := net.DefaultResolver.LookupIPAddr(ctx, host)
	if err != nil {
		return nil, err
	}
	at := found[0]
	for _, a := range found { // net.Listen prefers IPv4, too
		if a.IP.To4() != nil {
			at = a
			break
		}
	}
	return &net.TCPAddr{IP: at.IP, Port: port, Zone: at.Zone}, nil
}

// bind returns a socket bound to an address. For all interfaces, it accepts IPv4 and IPv6 if the machine has both.
func bind(at *net.TCPAddr) (socket int, err error) {
	if at.IP.To4() != nil {
		return bound(syscall.AF_INET, inet4(at), false)
	}
	if at.IP == nil {
		if socket, err = bound(syscall.AF_INET6, &syscall.SockaddrInet6{Port: at.Port}, true); err == nil || errors.Is(err, syscall.EADDRINUSE) {
			return socket, err
		}
		return bound(syscall.AF_INET, &syscall.SockaddrInet4{Port: at.Port}, false)
	}
	to := &syscall.SockaddrInet6{Port: at.Port, Addr: [16]byte(at.IP.To16())}
	if at.Zone != "" {
		i, err := net.InterfaceByName(at.Zone)
		if err != nil {
			return -1, err
		}
		to.ZoneId = uint32(i.Index) //nolint:gosec // the kernel's own number
	}
	// The address of all IPv6 interfaces, written out, includes those of IPv4, as for net.Listen.
	return bound(syscall.AF_INET6, to, at.IP.IsUnspecified())
}

func inet4(at *net.TCPAddr) *syscall.SockaddrInet4 {
	return &syscall.SockaddrInet4{Port: at.Port, Addr: [4]byte(at.IP.To4())}
}

func bound(family int, at syscall.Sockaddr, both bool) (socket int, err error) {
	syscall.ForkLock.RLock() // a child process started meanwhile must not inherit the socket
	socket, err = syscall.Socket(family, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(socket)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return -1, os.NewSyscallError("socket", err)
	}
	defer func() {
		if err != nil {
			_ = syscall.Close(socket)
			socket = -1
		}
	}()
	if family == syscall.AF_INET6 {
		only := 1
		if both {
			only = 0
		}
		if err := syscall.SetsockoptInt(socket, syscall.IPPROTO_IPV6, syscall.IPV6_V6ONLY, only); err != nil {
			return -1, os.NewSyscallError("setsockopt", err)
		}
	}
	// Connections that the previous node closed may still linger.
	if err := syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		return -1, os.NewSyscallError("setsockopt", err)
	}
	return socket, os.NewSyscallError("bind", syscall.Bind(socket, at))
}

func boundAddress(socket int) (net.Addr, error) {
	name, err := syscall.Getsockname(socket)
	if err != nil {
		return nil, os.NewSyscallError("getsockname", err)
	}
	switch at := name.(type) {
	case *syscall.SockaddrInet4:
		return &net.TCPAddr{IP: net.IP(at.Addr[:]), Port: at.Port}, nil
	case *syscall.SockaddrInet6:
		zone := ""
		if at.ZoneId != 0 {
			if i, err := net.InterfaceByIndex(int(at.ZoneId)); err == nil {
				zone = i.Name
			}
		}
		return &net.TCPAddr{IP: net.IP(at.Addr[:]), Port: at.Port, Zone: zone}, nil
	}
	return nil, fmt.Errorf("no address of TCP: %T", name)
}

// backlog is how many connections may wait to be accepted. The kernel lowers it to its own maximum.
const backlog = 1<<16 - 1

// Open starts accepting connections. It fails if another program bound the address at the same moment, and with
// net.ErrClosed if the listener is already open or closed.
func (l *Listener) Open() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.socket < 0 {
		return net.ErrClosed
	}
	if err := syscall.Listen(l.socket, backlog); err != nil {
		return refused(os.NewSyscallError("listen", err), l.address.String(), l.setting)
	}
	file := os.NewFile(uintptr(l.socket), "listener")
	l.socket = -1
	open, err := net.FileListener(file) // has a descriptor of its own
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("%s: %w", l.setting, err)
	}
	l.open = open
	return nil
}

// Accept waits for a connection. Before Open it returns net.ErrClosed.
func (l *Listener) Accept() (net.Conn, error) {
	l.mu.Lock()
	open := l.open
	l.mu.Unlock()
	if open == nil {
		return nil, net.ErrClosed
	}
	return open.Accept()
}

// Close releases the address. It returns net.ErrClosed if that was done before.
func (l *Listener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open != nil {
		return l.open.Close()
	}
	if l.socket < 0 {
		return net.ErrClosed
	}
	socket := l.socket
	l.socket = -1
	return os.NewSyscallError("close", syscall.Close(socket))
}

// Addr returns the bound address, with the port that the system chose if 0 was given.
func (l *Listener) Addr() net.Addr { return l.address }

// Listen binds an address and accepts connections at once. setting is the name of the address's setting, for errors.
func Listen(ctx context.Context, address, setting string) (net.Listener, error) {
	l, err := Bind(ctx, address, setting)
	if err != nil {
		return nil, err
	}
	if err := l.Open(); err != nil {
		return nil, errors.Join(err, Close(l))
	}
	return l, nil
}

// Close closes a listener, unless a server has closed it already.
func Close(l net.Listener) error {
	if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// Loopback reports whether only this machine can reach a listener.
func Loopback(l net.Listener) bool {
	address, ok := l.Addr().(*net.TCPAddr)
	return ok && address.IP.IsLoopback()
}

// URL returns a URL at which this machine can reach a listener. Use it instead of the Host of a request, which clients
// may set to anything. It is "" if the listener has no IP address.
func URL(l net.Listener) string {
	at, err := netip.ParseAddrPort(l.Addr().String())
	if err != nil {
		return ""
	}
	if at.Addr().IsUnspecified() { // it listens on all addresses, which always include this one
		at = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port())
	}
	return "http://" + at.String()
}
