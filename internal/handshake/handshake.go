// Package handshake explains to operators why a TLS connection to an engine failed. It opens no
// connection itself.
//
// Begin with Fault.
package handshake

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
)

// Fault describes a failed TLS handshake with a server as a sentence without a subject, such as "does
// not speak TLS on this port"; "" for an error that is not about TLS. advice tells the operator where
// to name the certificate of an authority; it ends the text for an untrusted one.
func Fault(err error, advice string) string {
	if name, ok := errors.AsType[x509.HostnameError](err); ok {
		return fmt.Sprintf("has a certificate for %s, and is asked for as %s: name it in the URL as its certificate does",
			named(name.Certificate), name.Host)
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "has a certificate of an authority that is not trusted: " + advice
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		if invalid.Reason == x509.Expired {
			return fmt.Sprintf("has a certificate that is valid from %s to %s, and not now",
				invalid.Cert.NotBefore.UTC().Format("2006-01-02 15:04"), invalid.Cert.NotAfter.UTC().Format("2006-01-02 15:04 MST"))
		}
		return "has a certificate that is not valid"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "does not speak TLS on this port"
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok {
		return "refuses the TLS handshake"
	}
	return ""
}

// named lists the DNS names and IP addresses that a certificate is for.
func named(c *x509.Certificate) string {
	names := append([]string(nil), c.DNSNames...)
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	if len(names) == 0 {
		return "nobody (its subject " + c.Subject.String() + " does not count)"
	}
	return strings.Join(names, ", ")
}
