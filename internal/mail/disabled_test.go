package mail

import (
	"strings"
	"testing"
)

func TestEndpointDisabled(t *testing.T) {
	t.Parallel()
	const (
		reason = "every attempt has failed since 2026-11-10 08:00 UTC"
		url    = "https://user:hunter2@hooks.example.com/palmares/in?token=hunter3#x"
	)
	p := (&post{}).start(t)
	m := EndpointDisabled("zoe@example.test", "ep_abcdefgh12345678", url, reason)
	if err := newSender(t, "smtp://"+p.addr).Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	header, text := read(t, p.all()[0].data)
	if got, want := header.Get("Subject"), "Your webhook endpoint at hooks.example.com was disabled"; got != want {
		t.Errorf("the subject is %q, want %q", got, want)
	}
	for _, want := range []string{
		"Endpoint: ep_abcdefgh12345678\n", "URL:      https://hooks.example.com/palmares/in\n", "Reason:   " + reason + "\n",
		"Nothing has been\ndelivered to the endpoint since then", "replayed for\n30 days", "answer this message", "palmares webhook enable ep_abcdefgh12345678\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "hunter") || strings.Contains(text, "{{") || strings.Contains(text, "<no value>") {
		t.Errorf("the text is\n%s", text)
	}
}

func TestEndpointDisabledIsOneMessagePerReason(t *testing.T) {
	t.Parallel()
	id := func(endpoint, reason string) string {
		return EndpointDisabled("zoe@example.test", endpoint, "https://hooks.example.com/", reason).ID
	}
	first := id("ep_1", "failing since Monday")
	if id("ep_1", "failing since Monday") != first {
		t.Error("the same news has another ID")
	}
	if id("ep_1", "failing since Friday") == first || id("ep_2", "failing since Monday") == first {
		t.Error("other news has the same ID")
	}
}

func TestEndpointDisabledWithStrangeValues(t *testing.T) {
	t.Parallel()
	p := (&post{}).start(t)
	s := newSender(t, "smtp://"+p.addr)
	for _, url := range []string{"", "https://a b\r\nBcc: eve@example.test/", "https://bücher.example/x"} {
		m := EndpointDisabled("zoe@example.test", "ep_1", url, "it said:\r\n\r\n{{.URL}} \xff <b>é</b>")
		if err := s.Send(t.Context(), m); err != nil {
			t.Errorf("%q: %v", url, err)
			continue
		}
		all := p.all()
		header, text := read(t, all[len(all)-1].data)
		if header.Get("Bcc") != "" || !strings.Contains(text, "Reason:   it said: {{.URL}} \uFFFD <b>é</b>\n") {
			t.Errorf("%q:\n%s", url, text)
		}
		if url == "" && strings.Contains(text, "URL:  ") {
			t.Errorf("there is no URL to show:\n%s", text)
		}
	}
}
