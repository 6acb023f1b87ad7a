package webhook_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/palmares-hq/palmares/docs/guides"
	"github.com/palmares-hq/palmares/internal/sampletest"
	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

const (
	exampleSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
	otherSecret   = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDC2FVsBQIhrs="
)

// needs ends a test for want of a program: it is skipped, and fails with CI=true.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is not installed", p)
			}
			t.Skipf("%s is not installed: install it to run this example", p)
		}
	}
}

// exampleDir is a directory with the files of the guide on receivers.
func exampleDir(t *testing.T) string {
	t.Helper()
	page, err := guides.Files.ReadFile("en/receivers.md")
	testkit.Must(t, err)
	samples, err := guide.Samples(string(page))
	testkit.Must(t, err)
	dir := t.TempDir()
	for _, s := range samples {
		if s.File != "" {
			testkit.Must(t, os.WriteFile(filepath.Join(dir, s.File), []byte(s.Text), 0o700))
		}
	}
	return dir
}

// An example is a receiver of the documentation that runs; lines returns what it has printed.
type example struct {
	url   string
	lines func() string
}

// start runs a program as a receiver on a free port until the test ends.
func start(t *testing.T, name string, args ...string) example {
	t.Helper()
	address := testkit.FreeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	var out testkit.Log
	cmd := exec.Command(name, args...)
	cmd.Dir = exampleDir(t)
	cmd.Env = append(os.Environ(), "PORT="+port, "WEBHOOK_SECRET="+exampleSecret)
	cmd.Stdout, cmd.Stderr = &out, &out
	testkit.Must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	testkit.Eventually(t, func() error {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return fmt.Errorf("%s does not listen: %s", name, out.String())
		}
		return c.Close()
	})
	return example{"http://" + address + "/", out.String}
}

func startGo(t *testing.T) example {
	t.Helper()
	needs(t, "go")
	binary := filepath.Join(t.TempDir(), "receiver")
	build := exec.Command("go", "build", "-o", binary, "verify.go")
	build.Dir = exampleDir(t)
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-trimpath", "GO111MODULE=auto", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return start(t, binary)
}

func startTypeScript(t *testing.T) example {
	t.Helper()
	needs(t, "node", "npm")
	compiler, err := sampletest.TypeScript()
	if err != nil && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	testkit.Must(t, err)
	return start(t, filepath.Join(compiler, "node"), "verify.ts")
}

func startShell(t *testing.T) example {
	t.Helper()
	needs(t, "sh", "openssl", "base64", "od")
	var out testkit.Log
	server := httptest.NewServer(&cgi.Handler{
		Path:   filepath.Join(exampleDir(t), "verify.sh"),
		Env:    []string{"WEBHOOK_SECRET=" + exampleSecret, "SEEN_DIR=" + t.TempDir(), "PATH=" + os.Getenv("PATH")},
		Stderr: &out,
	})
	t.Cleanup(server.Close)
	return example{server.URL + "/", out.String}
}

// A message is a request to a receiver, signed when it is sent.
type message struct {
	id      string
	at      time.Time
	body    []byte
	secrets []string
}

func send(t *testing.T, url string, m message, change func(*http.Request)) (status int, body string) {
	t.Helper()
	var signatures []string
	for _, secret := range m.secrets {
		signer, err := standardwebhooks.NewWebhook(secret)
		testkit.Must(t, err)
		signature, err := signer.Sign(m.id, m.at, m.body)
		testkit.Must(t, err)
		signatures = append(signatures, signature)
	}
	r, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(m.body))
	testkit.Must(t, err)
	r.Close = true
	r.Header.Set("content-type", "application/json")
	r.Header.Set(standardwebhooks.HeaderWebhookID, m.id)
	r.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(m.at.Unix(), 10))
	r.Header.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	if change != nil {
		change(r)
	}
	answer, err := http.DefaultClient.Do(r)
	testkit.Must(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	testkit.Must(t, err)
	return answer.StatusCode, string(text)
}

// The receivers in the documentation do what the documentation says.
func TestExamples(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(*testing.T) example{
		"sh": startShell, "go": startGo, "ts": startTypeScript,
		"py": func(t *testing.T) example { needs(t, "python3"); return start(t, "python3", "verify.py") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tryReceiver(t, run(t))
		})
	}
}

func tryReceiver(t *testing.T, r example) {
	t.Helper()
	now := time.Now()
	log := publishTwice(t).log
	event, final := log[len(log)-1], log[len(log)-2]
	last := 0
	want := func(what string, status int, answer string, m message, change func(*http.Request)) {
		t.Helper()
		if m.id == "" {
			last++
			m.id = fmt.Sprintf("msg_%024d", last)
		}
		got, text := send(t, r.url, m, change)
		if got != status || answer != "" && text != answer {
			t.Errorf("%s: %d %q, want %d %q\n%s", what, got, text, status, answer, r.lines())
		}
	}
	body := event.Payload()
	good := []string{exampleSecret}
	want("a good request", 204, "", message{"msg_once", now, body, good}, nil)
	want("the same again", 204, "", message{"msg_once", now, body, good}, nil)
	want("a wrong signature", 401, "", message{"", now, body, []string{otherSecret}}, nil)
	want("no signature", 401, "", message{"", now, body, nil}, nil)
	want("old", 401, "", message{"", now.Add(-6 * time.Minute), body, good}, nil)
	want("in the future", 401, "", message{"", now.Add(6 * time.Minute), body, good}, nil)
	want("a little late", 204, "", message{"msg_late", now.Add(-4 * time.Minute), body, good}, nil)
	want("two signatures", 204, "", message{"msg_two", now, body, []string{otherSecret, exampleSecret}}, nil)
	want("two wrong signatures", 401, "", message{"", now, body, []string{otherSecret, otherSecret}}, nil)
	for _, header := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
		want("no "+header, 401, "", message{"", now, body, good}, func(r *http.Request) { r.Header.Del(header) })
	}
	want("another id than was signed", 401, "", message{"", now, body, good}, func(r *http.Request) { r.Header.Set("webhook-id", "msg_other") })
	want("another time than was signed", 401, "", message{"", now, body, good}, func(r *http.Request) {
		r.Header.Set("webhook-timestamp", strconv.FormatInt(now.Unix()+1, 10))
	})
	want("a time that is none", 401, "", message{"", now, body, good}, func(r *http.Request) { r.Header.Set("webhook-timestamp", "soon") })
	want("another body than was signed", 401, "", message{"", now, body, good}, func(r *http.Request) {
		r.Body = io.NopCloser(bytes.NewReader(bytes.Replace(body, []byte("object"), []byte("objekt"), 1)))
	})
	want("a large body", 413, "", message{"", now, bytes.Repeat([]byte(" "), webhook.MaxPayload+1), good}, nil)
	challenge := "4SGN2XKDKQZQW3FZ2A7C5VNE4M"
	want("a challenge", 200, challenge, message{"", now, webhook.TestPayload("ep_kfbs2jw2gdnkq7ma", now, challenge), good}, nil)
	want("a forged challenge", 401, "", message{"", now, webhook.TestPayload("ep_kfbs2jw2gdnkq7ma", now, challenge), []string{otherSecret}}, nil)
	want("after all that", 204, "", message{"msg_after", now, final.Payload(), good}, nil)

	// What was accepted is worked on once each, and the last comes last.
	line := func(e webhook.Event) string { return fmt.Sprintf("%s %s %d\n", e.Type, e.Slug, e.Seq) }
	printed := strings.Repeat(line(event), 3) + line(final)
	testkit.EventuallyTrue(t, "the last event is printed", func() bool { return strings.HasSuffix(r.lines(), line(final)) })
	testkit.Equal(t, "printed", r.lines(), printed)
}

// The guides on webhooks and on staying in step have a row for every type.
func TestGuides_HaveEveryType(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"fr/webhooks.md", "en/webhooks.md", "fr/suivre.md", "en/staying-in-step.md"} {
		page, err := guides.Files.ReadFile(name)
		testkit.Must(t, err)
		first := make(map[string]bool) // what the first cells of tables name
		for line := range strings.Lines(string(page)) {
			if cells := strings.Split(line, "|"); len(cells) > 2 && strings.TrimSpace(cells[0]) == "" {
				for code := range strings.SplitSeq(cells[1], ",") {
					first[strings.Trim(code, " `")] = true
				}
			}
		}
		for _, typ := range webhook.Types() {
			if !first[string(typ)] {
				t.Errorf("docs/guides/%s: no table has a row of %s", name, typ)
			}
		}
	}
}

// The event that the guides show is the one of the schemas, and is signed as they show.
func TestExamples_Event(t *testing.T) {
	t.Parallel()
	want := testkit.ReadFile(t, "../../schemas/events/examples/price.changed.json")
	for _, name := range []string{"fr/webhooks.md", "en/webhooks.md", "fr/recepteurs.md", "en/receivers.md"} {
		page, err := guides.Files.ReadFile(name)
		testkit.Must(t, err)
		if !strings.Contains(string(page), "```json file=price.changed.json\n"+want+"```\n") {
			t.Errorf("%s shows another event", name)
		}
		header := regexp.MustCompile(`webhook-id: (\S+)\nwebhook-timestamp: (\d+)\nwebhook-signature: (\S+)\n`)
		for _, m := range header.FindAllStringSubmatch(string(page), -1) {
			at, err := strconv.ParseInt(m[2], 10, 64)
			testkit.Must(t, err)
			signer, err := standardwebhooks.NewWebhook(exampleSecret)
			testkit.Must(t, err)
			var sent bytes.Buffer
			testkit.Must(t, json.Compact(&sent, []byte(want)))
			signature, err := signer.Sign(m[1], time.Unix(at, 0), sent.Bytes())
			testkit.Must(t, err)
			testkit.Equal(t, name+": the signature", m[3], signature)
		}
	}
}

// send.sh signs as the service does.
func TestExamples_Send(t *testing.T) {
	t.Parallel()
	needs(t, "curl")
	r := startShell(t)
	for example, want := range map[string]string{"tool.updated": "\n204\n", testType: "6RPXJ4KDKQZQW3FZ2A7C5VNE4M\n200\n"} {
		body, err := filepath.Abs(filepath.Join("../../schemas/events/examples", example+".json"))
		testkit.Must(t, err)
		cmd := exec.Command("./send.sh", r.url, body)
		cmd.Dir = exampleDir(t)
		cmd.Env = append(os.Environ(), "WEBHOOK_SECRET="+exampleSecret)
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("%s: %v: %q", example, err, out)
		}
	}
	if got := r.lines(); got != "tool.updated oeuvre 41\n" {
		t.Errorf("printed %q", got)
	}
}
