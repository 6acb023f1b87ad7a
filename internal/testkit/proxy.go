package testkit

import (
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A Fault is what a Proxy does to the bytes of one direction. The zero Fault passes them on.
type Fault struct {
	Stall bool          // drop the bytes, and cut the connections when the fault ends
	Reset bool          // reset the connection that sends bytes
	Delay time.Duration // deliver the bytes later
}

// A Proxy forwards TCP connections to a server and simulates network faults. A fault applies to open connections and to
// new ones.
type Proxy struct {
	Addr               string // where clients connect
	tb                 testing.TB
	server             string
	toServer, toClient atomic.Value // of type Fault
	listener           net.Listener
	accepting, pumps   sync.WaitGroup
	mu                 sync.Mutex
	ends               []net.Conn // both ends of all connections so far
}

// NewProxy starts a proxy in front of a server and stops it when the test ends.
func NewProxy(tb testing.TB, server string) *Proxy {
	tb.Helper()
	p := &Proxy{Addr: "127.0.0.1:0", tb: tb, server: server}
	p.listen()
	tb.Cleanup(func() { p.Refuse(); p.pumps.Wait() })
	return p
}

// ToServer starts a fault in what clients send. It lasts until end is called.
func (p *Proxy) ToServer(f Fault) (end func()) { return p.begin(&p.toServer, f) }

// ToClient starts a fault in what the server sends. It lasts until end is called.
func (p *Proxy) ToClient(f Fault) (end func()) { return p.begin(&p.toClient, f) }

func (p *Proxy) begin(at *atomic.Value, f Fault) (end func()) {
	at.Store(f)
	return func() {
		p.mu.Lock() // no connection begins meanwhile
		defer p.mu.Unlock()
		if f.Stall { // before bytes pass again: part of each stream is missing
			p.cut()
		}
		at.Store(Fault{})
	}
}

// Refuse closes the port and cuts all connections. Calling end opens the port again.
func (p *Proxy) Refuse() (end func()) {
	p.listener.Close()
	p.accepting.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut()
	return p.listen
}

// cut closes the connections; mu is held.
func (p *Proxy) cut() {
	for _, end := range p.ends {
		end.Close()
	}
}

func (p *Proxy) listen() {
	listener, err := net.Listen("tcp", p.Addr)
	if err != nil {
		p.tb.Fatal(err)
	}
	p.listener, p.Addr = listener, listener.Addr().String()
	p.accepting.Go(func() {
		for client, err := listener.Accept(); err == nil; client, err = listener.Accept() {
			server, err := net.Dial("tcp", p.server)
			if err != nil {
				client.Close()
				continue
			}
			p.mu.Lock()
			p.ends = append(p.ends, client, server)
			p.mu.Unlock()
			p.pumps.Go(func() { p.pump(server, client, &p.toServer) })
			p.pumps.Go(func() { p.pump(client, server, &p.toClient) })
		}
	})
}

// pump forwards bytes until one end closes, then closes the other. It keeps reading while bytes are delayed: a delay
// adds latency and does not limit the rate.
func (p *Proxy) pump(to, from net.Conn, fault *atomic.Value) {
	underWay := make(chan func(), 1024)
	defer close(underWay)
	p.pumps.Go(func() {
		for arrive := range underWay {
			arrive()
		}
		to.Close()
	})
	for {
		b := make([]byte, 32<<10)
		n, err := from.Read(b)
		if err != nil {
			return
		}
		f, _ := fault.Load().(Fault)
		switch due := time.Now().Add(f.Delay); {
		case f.Reset:
			to.(*net.TCPConn).SetLinger(0)
			return
		case !f.Stall:
			underWay <- func() {
				time.Sleep(time.Until(due))
				to.Write(b[:n]) // if this fails, that end is closed, which stops both pumps
			}
		}
	}
}
