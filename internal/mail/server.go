package mail

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
)

// A server is an SMTP server as PALMARES_SMTP_URL describes it.
type server struct {
	host     string
	port     string
	user     string // "" means no authentication
	password string
	security security
}

// A security is how the connection is protected.
type security int

const (
	startTLS  security = iota // required: without it nothing is sent
	directTLS                 // TLS from the first byte
	plainText
)

// parseServer parses PALMARES_SMTP_URL. Its errors quote no part of the URL: if a password has an unescaped
// special character, parts of it can end up in any component.
func parseServer(text string) (server, error) {
	if text == "" {
		return server{}, errors.New("it is not set: it is such as smtp://user:password@host:587")
	}
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" {
		return server{}, errors.New("it is not a URL such as smtp://user:password@host:587; " +
			"in the password, /, ?, # and % are written %2F, %3F, %23 and %25")
	}
	if (u.Path != "" && u.Path != "/") || u.Fragment != "" {
		return server{}, errors.New("it goes on after the host: " +
			"in the password, /, ?, # and % are written %2F, %3F, %23 and %25")
	}
	s := server{host: u.Hostname(), port: u.Port(), user: u.User.Username()}
	s.password, _ = u.User.Password()
	switch {
	case s.host == "":
		return server{}, errors.New("it names no host")
	case (s.user == "") != (s.password == ""):
		return server{}, errors.New("it has a user without a password, or a password without a user")
	}
	standardPort := "587"
	switch u.Scheme {
	case "smtp":
		if isLoopback(s.host) {
			s.security = plainText
		}
	case "smtps":
		s.security, standardPort = directTLS, "465"
	default:
		return server{}, errors.New("it begins with neither smtp:// nor smtps://")
	}
	if s.port == "" {
		s.port = standardPort
	}
	if n, err := strconv.ParseUint(s.port, 10, 16); err != nil || n == 0 {
		return server{}, errors.New("its port is not a number from 1 to 65535")
	}
	return s.withQuery(u)
}

// withQuery applies the query: tls=none, or tls=starttls, which requires STARTTLS of a loopback
// address too.
func (s server) withQuery(u *url.URL) (server, error) {
	if u.RawQuery == "" {
		return s, nil
	}
	query, err := url.ParseQuery(u.RawQuery)
	choice := query.Get("tls")
	switch {
	case err != nil || len(query) != 1 || len(query["tls"]) != 1 || (choice != "none" && choice != "starttls"):
		return server{}, errors.New("after the question mark there can be tls=none or tls=starttls, nothing else")
	case s.security == directTLS:
		return server{}, errors.New("smtps:// is TLS from the beginning: tls= does not go with it")
	case choice == "none":
		s.security = plainText
	default:
		s.security = startTLS
	}
	return s, nil
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || (err == nil && addr.Unmap().IsLoopback())
}
