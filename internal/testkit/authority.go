package testkit

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// An Authority is a certificate authority for one test: it issues certificates that only clients with its File trust.
type Authority struct {
	File string // its certificate, in PEM

	certificate *x509.Certificate
	key         crypto.Signer
}

// NewAuthority returns an authority with a fresh key, valid for an hour.
func NewAuthority(tb testing.TB) *Authority {
	tb.Helper()
	a := &Authority{File: filepath.Join(tb.TempDir(), "ca.pem")}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "an authority of tests"}, SerialNumber: big.NewInt(1),
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.certificate, a.key = template, newSigner(tb)
	der := a.sign(tb, template, a.key)
	var err error
	a.certificate, err = x509.ParseCertificate(der)
	Must(tb, err)
	Must(tb, os.WriteFile(a.File, toPEM("CERTIFICATE", der), 0o644))
	return a
}

// Issue writes a server certificate for a host name or IP address, valid until the given time, and its key into a new
// directory, and returns the paths of both files.
func (a *Authority) Issue(tb testing.TB, name string, until time.Time) (certificate, key string) {
	tb.Helper()
	signer := newSigner(tb)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: until,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if ip := net.ParseIP(name); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{name}
	}
	der, err := x509.MarshalPKCS8PrivateKey(signer)
	Must(tb, err)
	dir := tb.TempDir()
	certificate, key = filepath.Join(dir, "server.pem"), filepath.Join(dir, "server.key")
	Must(tb, os.WriteFile(certificate, toPEM("CERTIFICATE", a.sign(tb, template, signer)), 0o644))
	Must(tb, os.WriteFile(key, toPEM("PRIVATE KEY", der), 0o600))
	return certificate, key
}

func (a *Authority) sign(tb testing.TB, template *x509.Certificate, of crypto.Signer) []byte {
	tb.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, of.Public(), a.key)
	Must(tb, err)
	return der
}

func newSigner(tb testing.TB) crypto.Signer {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	Must(tb, err)
	return key
}

func toPEM(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
