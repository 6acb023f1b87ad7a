package surface

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
)

// A Listener has its address from the start, and takes connections from Open on: before that they are refused, which a load
// balancer answers by asking another node. An answer with an error it would pass on.
type Listener struct {
	address net.Addr
	setting string

	mu     sync.Mutex
	socket int          // -1 once it was handed on or closed
	open   net.Listener // nil before Open
}

// Bind takes the address that the setting names.
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

// refused says why an address cannot be had.
func refused(err error, address, setting string) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s is taken by another program: choose another address with %s", address, setting)
	}
	return fmt.Errorf("%s: %s: %w", setting, address, err)
}

// resolve gives the address in numbers. Without a host it is that of all interfaces.
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
	for _, a := range found { // as net.Listen prefers
		if a.IP.To4() != nil {
			at = a
			break
		}
	}
	return &net.TCPAddr{IP: at.IP, Port: port, Zone: at.Zone}, nil
}

// bind makes a socket with the address. One for all interfaces takes both families where there are both.
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
	// All addresses of IPv6, written out, are those of IPv4 as well, as for net.Listen.
	return bound(syscall.AF_INET6, to, at.IP.IsUnspecified())
}

func inet4(at *net.TCPAddr) *syscall.SockaddrInet4 {
	return &syscall.SockaddrInet4{Port: at.Port, Addr: [4]byte(at.IP.To4())}
}

func bound(family int, at syscall.Sockaddr, both bool) (socket int, err error) {
	syscall.ForkLock.RLock() // a child that starts meanwhile does not inherit it
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
	// Connections that a node before this one closed may still be about.
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

// backlog is how many connections may wait to be accepted: as many as the kernel allows.
const backlog = 1<<16 - 1

// Open lets connections in. That another program has the address may show only here: it can have bound it at the same moment.
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

// Accept waits for a connection, once Open was called.
func (l *Listener) Accept() (net.Conn, error) {
	l.mu.Lock()
	open := l.open
	l.mu.Unlock()
	if open == nil {
		return nil, net.ErrClosed
	}
	return open.Accept()
}

// Close gives the address back.
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

// Addr is the address, with its port where the system chose one.
func (l *Listener) Addr() net.Addr { return l.address }
