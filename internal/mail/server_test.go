package mail

import (
	"strings"
	"testing"
	"time"
)

func TestURLs(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		url  string
		want server
	}{
		{"smtp://u:p@mail.example.com:2525", server{"mail.example.com", "2525", "u", "p", startTLS}},
		{"smtp://mail.example.com", server{"mail.example.com", "587", "", "", startTLS}},
		{"smtp://mail.example.com/", server{"mail.example.com", "587", "", "", startTLS}},
		{"smtp://u:p@mail.example.com:25?tls=none", server{"mail.example.com", "25", "u", "p", plainText}},
		{"smtp://10.0.0.8:25", server{"10.0.0.8", "25", "", "", startTLS}},
		{"smtp://localhost.example.com", server{"localhost.example.com", "587", "", "", startTLS}},
		{"smtp://127.example.com", server{"127.example.com", "587", "", "", startTLS}},
		{"smtp://localhost:1025", server{"localhost", "1025", "", "", plainText}},
		{"smtp://127.0.0.1:1025", server{"127.0.0.1", "1025", "", "", plainText}},
		{"smtp://[::1]:1025", server{"::1", "1025", "", "", plainText}},
		{"smtp://localhost?tls=starttls", server{"localhost", "587", "", "", startTLS}},
		{"smtps://u%40example.com:p%2Fq@mail.example.com", server{"mail.example.com", "465", "u@example.com", "p/q", directTLS}},
		{"smtps://127.0.0.1:4650", server{"127.0.0.1", "4650", "", "", directTLS}},
	} {
		if got, err := parseServer(tc.url); err != nil || got != tc.want {
			t.Errorf("%s: got %+v, %v", tc.url, got, err)
		}
	}
}

func TestWrongOptionsAreToldWithoutThePassword(t *testing.T) {
	t.Parallel()
	const from = "noreply@palmares.test"
	for _, tc := range []struct{ url, from, want string }{
		{"", from, "PALMARES_SMTP_URL: it is not set"},
		{"smtp://u:hunter2@host:port", from, "is not a URL"},
		{"smtp://u:hunter2%zz@host", from, "is not a URL"},
		{"smtp://u:hunter2#x@host", from, "is not a URL"},
		{"smtp:u:hunter2@host", from, "is not a URL"},
		{"smtp://u:22/hunter2@host", from, "goes on after the host"},
		{"smtp://u:22#hunter2@host", from, "goes on after the host"},
		{"smtp://u:22?hunter2@host", from, "after the question mark"},
		{"smtp://u:hunter2@host?tls=maybe", from, "after the question mark"},
		{"smtp://u:hunter2@host?tls=none&tls=starttls", from, "after the question mark"},
		{"smtp://u:hunter2@host?tls=none&x=1", from, "after the question mark"},
		{"smtps://u:hunter2@host?tls=none", from, "does not go with it"},
		{"http://u:hunter2@host", from, "neither smtp:// nor smtps://"},
		{"smtp://u:hunter2@", from, "names no host"},
		{"smtp://u:hunter2@host:0", from, "port"},
		{"smtp://u:hunter2@host:70000", from, "port"},
		{"smtp://:hunter2@host", from, "without a user"},
		{"smtp://u@host", from, "without a password"},
		{"smtp://u:hunter2@host", "", "PALMARES_MAIL_FROM"},
		{"smtp://u:hunter2@host", "palmares", "PALMARES_MAIL_FROM"},
		{"smtp://u:hunter2@host", "a@b.test\r\nBcc: c@d.test", "PALMARES_MAIL_FROM"},
		{"smtp://u:hunter2@host", "noreply@palmarès.test", "xn--"},
	} {
		_, err := NewSender(Options{URL: tc.url, From: tc.from})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s from %q: got %v, want %q", tc.url, tc.from, err, tc.want)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the password shows: %v", err)
		}
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	s, err := NewSender(Options{URL: "smtps://mail.example.com", From: "noreply@palmares.test"})
	if err != nil {
		t.Fatal(err)
	}
	if s.timeout != 10*time.Second || s.tls.ServerName != "mail.example.com" || time.Since(s.now()) > time.Minute {
		t.Errorf("defaults: %v, %q, %v", s.timeout, s.tls.ServerName, s.now())
	}
}
