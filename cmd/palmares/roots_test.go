package main

import (
	"crypto/x509"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// On a machine without certificates, as in the image, the program trusts those that it brings.
func TestRoots(t *testing.T) {
	t.Parallel()
	const variable = "PALMARES_TEST_ROOTS"
	if os.Getenv(variable) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestRoots$")
		cmd.Env = append(os.Environ(), variable+"=1", "SSL_CERT_FILE=/nowhere", "SSL_CERT_DIR=/nowhere")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("without certificates on the machine: %v\n%s", err, out)
		}
		return
	}
	trusted := 0
	for root := range bundle.Roots() {
		c, err := x509.ParseCertificate(root.Certificate)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Verify(x509.VerifyOptions{}); err == nil {
			trusted++
		}
	}
	if trusted < 50 {
		t.Errorf("%d roots are trusted", trusted)
	}
}
