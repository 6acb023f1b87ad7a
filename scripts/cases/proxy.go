package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A proxy stands between a runner and the service. The first segment of a path names the case.
type proxy struct {
	service  *service
	url      string
	run      int // the number of the runner
	server   *http.Server
	upstream *http.Transport
	cases    []*tried
}

// tried is a case under way.
type tried struct {
	expectation
	Name   string  `json:"name"`
	Faults []fault `json:"faults"`

	address string // of the client, for the service

	mu        sync.Mutex
	exchanges []exchange
	ended     time.Time // of the last response
	reported  bool
	faults    []string // what was not as expected
}

// fault is what the proxy does to some requests of a case.
type fault struct {
	On      []int             `json:"on"`
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	Replace [][2]string       `json:"replace"`
	Cut     string            `json:"cut"`
	Publish string            `json:"publish"`
	Spend   bool              `json:"spend"`
}

// exchange is what the proxy saw of a request and its response. Its JSON is what cases look at.
type exchange struct {
	Path     string            `json:"path"`
	Query    map[string]string `json:"query"`
	Request  map[string]string `json:"request"`
	Response map[string]string `json:"response"`
	Status   int               `json:"status"`
	After    int64             `json:"after_ms"`

	body []byte
}

func startProxy(ctx context.Context, s *service, run int) (*proxy, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{service: s, url: "http://" + l.Addr().String(), run: run}
	p.upstream = &http.Transport{DisableCompression: true}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: time.Minute}
	go func() { _ = p.server.Serve(l) }()
	return p, nil
}

func (p *proxy) close() {
	_ = p.server.Close()
	p.upstream.CloseIdleConnections()
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	i := slices.IndexFunc(p.cases, func(c *tried) bool { return c.Name == name })
	if i < 0 {
		http.Error(w, "there is no such case", http.StatusNotFound)
		return
	}
	c := p.cases[i]
	c.mu.Lock()
	defer c.mu.Unlock()
	if rest == "judge" && r.Method == http.MethodPost {
		c.judge(w, r)
		return
	}
	if r.Method == http.MethodOptions { // the preflight of a browser is no request of the client
		p.forward(w, r, rest, c, &exchange{}, nil)
		return
	}
	p.exchange(w, r, rest, c)
}

// exchange answers a request of a case, and notes it.
func (p *proxy) exchange(w http.ResponseWriter, r *http.Request, path string, c *tried) {
	e := exchange{Path: normal(path), Query: map[string]string{}, Request: flat(r.Header), Response: map[string]string{}}
	for k, v := range r.URL.Query() {
		e.Query[k] = strings.Join(v, " | ")
	}
	if !c.ended.IsZero() {
		e.After = time.Since(c.ended).Milliseconds()
	}
	n := len(c.exchanges) + 1
	var faults []fault
	for _, f := range c.Faults {
		if len(f.On) == 0 || slices.Contains(f.On, n) {
			faults = append(faults, f)
		}
	}
	if err := p.prepare(r.Context(), n, faults, c); err != nil {
		c.faults = append(c.faults, err.Error())
	}
	p.forward(w, r, path, c, &e, faults)
	c.exchanges = append(c.exchanges, e)
	c.ended = time.Now()
}

// prepare brings the service into the state that the faults of a request want.
func (p *proxy) prepare(ctx context.Context, n int, faults []fault, c *tried) error {
	if n == 1 {
		if err := p.service.publish(ctx, "first"); err != nil {
			return err
		}
	}
	for _, f := range faults {
		if f.Publish != "" {
			if err := p.service.publish(ctx, f.Publish); err != nil {
				return err
			}
		}
		for range 100 {
			if !f.Spend {
				break
			}
			r, err := p.ask(ctx, "/api/v1/stats", http.Header{}, c.address)
			if err != nil {
				return err
			}
			_ = r.Body.Close()
		}
	}
	return nil
}

func (p *proxy) ask(ctx context.Context, path string, h http.Header, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.service.url+path, http.NoBody) //nolint:gosec // our own service
	if err != nil {
		return nil, err
	}
	req.Header = h
	req.Header.Set("X-Forwarded-For", address)
	return p.upstream.RoundTrip(req)
}

// forward passes a request on, unless a fault answers it, and its response back, with what faults make of it.
func (p *proxy) forward(w http.ResponseWriter, r *http.Request, path string, c *tried, e *exchange, faults []fault) {
	n := len(c.exchanges) + 1
	var own, changed fault
	for _, f := range faults {
		if f.Status != 0 {
			own = f
		}
		changed.Cut += f.Cut
		changed.Replace = append(changed.Replace, f.Replace...)
	}
	if changed.Cut == "start" {
		cut(w, nil)
		return
	}
	status, body := own.Status, []byte(own.Body)
	header := http.Header{"Content-Type": {"application/json"}, "Access-Control-Allow-Origin": {"*"}}
	if own.Status == 0 {
		h := r.Header.Clone()
		if len(changed.Replace) > 0 {
			h.Set("Accept-Encoding", "identity")
		}
		response, err := p.ask(r.Context(), "/"+path+query(r.URL), h, c.address)
		if err != nil {
			c.faults = append(c.faults, err.Error())
			cut(w, nil)
			return
		}
		defer response.Body.Close()
		status, header = response.StatusCode, response.Header
		if body, err = io.ReadAll(response.Body); err != nil {
			c.faults = append(c.faults, err.Error())
		}
	}
	for _, x := range changed.Replace {
		body = bytes.ReplaceAll(body, []byte(x[0]), []byte(x[1]))
	}
	for _, f := range faults {
		for k, v := range f.Headers {
			header.Set(k, strings.ReplaceAll(v, "{n}", strconv.Itoa(n)))
		}
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	e.Status, e.Response, e.body = status, flat(header), body
	if changed.Cut == "body" {
		var head bytes.Buffer
		fmt.Fprintf(&head, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
		_ = header.Write(&head)
		cut(w, append(append(head.Bytes(), "\r\n"...), body[:len(body)/2]...))
		return
	}
	maps.Copy(w.Header(), header)
	if status == http.StatusNotModified {
		w.Header().Del("Content-Length")
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// cut writes some bytes and closes the connection. Without any it closes within the status line: some libraries repeat a
// request by themselves whose connection was closed before that.
func cut(w http.ResponseWriter, text []byte) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if text == nil {
		text = []byte("HTTP/1.1 2")
	}
	_, _ = conn.Write(text)
	_ = conn.Close()
}

// decoded returns the body of a response as JSON.
func (e *exchange) decoded() (v any, err error) {
	body := e.body
	switch e.Response["content-encoding"] {
	case "":
	case "gzip":
		r, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		if body, err = io.ReadAll(r); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("%s is not read here", e.Response["content-encoding"])
	}
	return v, json.Unmarshal(body, &v)
}

// normal returns a path with each segment escaped in one way: languages escape differently.
func normal(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if plain, err := url.PathUnescape(s); err == nil {
			segments[i] = url.PathEscape(plain)
		}
	}
	return "/" + strings.Join(segments, "/")
}

func query(u *url.URL) string {
	if u.RawQuery == "" {
		return ""
	}
	return "?" + u.RawQuery
}

func flat(h http.Header) map[string]string {
	all := map[string]string{}
	for k, v := range h {
		all[strings.ToLower(k)] = strings.Join(v, ", ")
	}
	return all
}
