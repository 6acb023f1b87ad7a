package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/mail"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start runs the program on free ports and ends it with the test.
func start(t *testing.T) (sender *mail.Sender, page string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ready, ended := make(chan [2]string, 1), make(chan error, 1)
	go func() {
		ended <- run(ctx, "127.0.0.1:0", "127.0.0.1:0", func(smtp, page string) { ready <- [2]string{smtp, page} })
	}()
	t.Cleanup(func() { cancel(); testkit.Must(t, <-ended) })
	select {
	case at := <-ready:
		sender, err := mail.NewSender(mail.Options{URL: "smtp://" + at[0], From: "Le Banc <noreply@banc.example>"})
		testkit.Must(t, err)
		return sender, "http://" + at[1]
	case err := <-ended:
		ended <- nil
		t.Fatal(err)
		return nil, ""
	}
}

func TestMailbox(t *testing.T) {
	t.Parallel()
	sender, page := start(t)
	empty := testkit.Get(t, page+"/")
	if !empty.Says("None yet") || empty.Header.Get("Refresh") == "" {
		t.Errorf("without mail: %v, %v", empty, empty.Header)
	}
	m := mail.Message{
		To: "zoe@example.test", Subject: "Hello <b>you</b>", ID: "1",
		Text: "See https://banc.example/x?a=1&b=2.\n", HTML: `<p>See <a href="https://banc.example/x?a=1&amp;b=2">it</a></p><script>alert(1)</script>`,
	}
	testkit.Must(t, sender.Send(t.Context(), m))
	for i := range 100 { // with it one more than are kept
		other := mail.Message{To: "bob@example.test", Subject: fmt.Sprintf("Mail %d.", i), Text: "Hello.\n", ID: "2"}
		if i == 99 {
			list := testkit.Get(t, page+"/").Body
			testkit.Equal(t, "listed", strings.Count(list, `<a href="/mail/`), 100)
			if strings.Index(list, "Mail 98.") > strings.Index(list, "Mail 0.") || !strings.Contains(list, "Hello &lt;b&gt;you") {
				t.Errorf("not the newest first, or not escaped:\n%s", list)
			}
			checkMail(t, page, m)
		}
		testkit.Must(t, sender.Send(t.Context(), other))
	}
	for path, status := range map[string]int{
		"/mail/1": 404, "/mail/1/html": 404, "/mail/2": 200, "/mail/2/html": 404, "/mail/x": 404, "/mail/102": 404,
		"/mails": 400, "/mails?to=zoe@example.test": 200, "/mails?to=zoe@example.test&after=x": 400, "/elsewhere": 404,
	} {
		testkit.Equal(t, path, testkit.Get(t, page+path).Status, status)
	}
}

// checkMail wants the first mail to be shown, with its links, and its HTML to do nothing.
func checkMail(t *testing.T, page string, m mail.Message) {
	t.Helper()
	shown := testkit.Get(t, page+"/mail/1")
	for _, want := range []string{
		`<a href="https://banc.example/x?a=1&amp;b=2" rel="noreferrer">https://banc.example/x?a=1&amp;b=2</a>.`,
		`<iframe src="/mail/1/html" sandbox `, "zoe@example.test", "&lt;1@banc.example&gt;",
	} {
		if !shown.Says(want) || shown.Header.Get("Refresh") != "" || strings.Contains(shown.Body, "alert") {
			t.Errorf("the mail is shown without %q:\n%s", want, shown.Body)
		}
	}
	html := testkit.Get(t, page+"/mail/1/html")
	testkit.Equal(t, "HTML", html.Body, m.HTML)
	testkit.Equal(t, "policy", html.Header["Content-Security-Policy"], []string{mailPolicy})
	listed := testkit.Get(t, page+"/mails?to=ZOE@example.test")
	type entry struct {
		Number              int
		Subject, Text, HTML string
		Links               []string
	}
	var got, bobs []entry
	testkit.Must(t, json.Unmarshal([]byte(listed.Body), &got))
	testkit.Equal(t, "by script", got, []entry{{1, m.Subject, m.Text, m.HTML, []string{"https://banc.example/x?a=1&b=2"}}})
	testkit.Must(t, json.Unmarshal([]byte(testkit.Get(t, page+"/mails?to=bob@example.test&after=98").Body), &bobs))
	testkit.Equal(t, "after a number", []string{bobs[0].Subject, bobs[1].Subject}, []string{"Mail 97.", "Mail 98."})
	testkit.Equal(t, "kept by browsers", html.Header.Get("Cache-Control")+listed.Header.Get("Cache-Control"), "no-storeno-store")
}

func TestRun_SaysWhichPortIsTaken(t *testing.T) {
	t.Parallel()
	box := testkit.NewMailbox(t)
	taken := strings.TrimPrefix(box.URL, "smtp://")
	for want, at := range map[string][2]string{
		"listening for mail":     {taken, "127.0.0.1:0"},
		"listening for browsers": {"127.0.0.1:0", taken},
	} {
		err := run(t.Context(), at[0], at[1], func(string, string) { t.Error("it is ready") })
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), taken) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
