package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

var (
	ruleWindow = regexp.MustCompile(`(\[|for: )(\d+)([mhd])(\]|\n)`)
	ruleUnits  = map[string]int{"m": 1, "h": 60, "d": 24 * 60}
)

// hurried are the rules with every window and every wait sixty times shorter. Bounds stay what they are.
func hurried(rules string) string {
	return ruleWindow.ReplaceAllStringFunc(rules, func(s string) string {
		m := ruleWindow.FindStringSubmatch(s)
		n, _ := strconv.Atoi(m[2])
		return fmt.Sprintf("%s%ds%s", m[1], n*ruleUnits[m[3]], m[4])
	})
}

// A drill is a small installation with a Prometheus that watches it.
type drill struct {
	t          *testing.T
	prometheus string // its URL
	postgres   *pgtest.Server
	redis      *redistest.Server
	toRedis    *testkit.Proxy // all nodes go through it
	toPostgres *testkit.Proxy // the second node does
	receiver   *testkit.Receiver
	content    string
	environ    []string // of the first node, and of commands
	first      *server
	second     *server
	unread     *server // nobody reads its log
	log        *os.File
	asked      atomic.Int64
	rows       []string
}

// TestAlarms_Fire causes what alarms are for on real processes, with the rules of deploy/prometheus in a real
// Prometheus, and sees each alarm fire and end. make alarms runs it.
func TestAlarms_Fire(t *testing.T) {
	t.Parallel()
	how := os.Getenv("PALMARES_TEST_ALARMS") // long, short
	if how == "" {
		t.Skip("make alarms runs it")
	}
	if _, err := exec.LookPath("prometheus"); err != nil {
		pgtest.SkipOrFail(t, "no prometheus: apt-get install prometheus")
	}
	d := newDrill(t)
	d.quiet()
	d.countAlone()
	d.loseFeed()
	if how == "long" {
		d.dropLog()
		d.slow()
		d.differ()
		d.clock(90 * time.Second)
		d.clock(-90 * time.Second)
		d.late()
	}
	t.Logf("alarms on real processes, with windows sixty times shorter:\n\n%-22s %-46s %8s %8s  %s\n%s", "alarm", "cause", "fires", "ends", "commands",
		strings.Join(d.rows, "\n"))
}

func newDrill(t *testing.T) *drill {
	t.Helper()
	d := &drill{t: t, postgres: pgtest.NewServer(t), redis: redistest.NewServer(t), receiver: testkit.NewReceiver(), content: testkit.CopyOf(t, fixtureCatalog)}
	t.Cleanup(d.receiver.Close)
	d.toRedis = testkit.NewProxy(t, d.redis.Addr())
	address := regexp.MustCompile(`127\.0\.0\.1:\d+`)
	url := d.postgres.URL()
	d.toPostgres = testkit.NewProxy(t, address.FindString(url))
	palmares(t, database(url), "publish", d.content)
	node := func(url string, settings ...string) []string {
		return onFreePorts(url, append([]string{
			"PALMARES_LISTEN=" + testkit.FreeAddress(t), "PALMARES_ADMIN_LISTEN=" + testkit.FreeAddress(t),
			"PALMARES_REDIS_URL=redis://" + d.toRedis.Addr, "PALMARES_TRUSTED_PROXIES=127.0.0.0/8",
			"PALMARES_SNAPSHOT_FILE=" + filepath.Join(t.TempDir(), "copy"), "PALMARES_WEBHOOK_NETWORKS=127.0.0.0/8",
		}, settings...)...)
	}
	path, err := binary()
	must(t, err)
	d.environ = append(node(url), "PATH="+filepath.Dir(path)+":"+os.Getenv("PATH"), "HOME="+t.TempDir())
	palmares(t, d.environ, "account", "create", "owner@example.org", "--plan", "pro")
	palmares(t, d.environ, "webhook", "create", "owner@example.org", d.receiver.URL, "--vouch")
	d.first = serving(start(t, d.environ, "serve"))
	d.second = serving(start(t, node(address.ReplaceAllString(url, d.toPostgres.Addr)), "serve", "--roles", "api"))
	d.unread, d.log = serveUnread(t, url, "--roles", "api")
	d.first.ready()
	d.second.ready()
	d.watch()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	t.Cleanup(func() { cancel(); <-ended })
	go func() { // readers
		defer close(ended)
		for ctx.Err() == nil {
			for _, n := range []*server{d.first, d.second} {
				d.ask(n, nil)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return d
}

// watch starts Prometheus.
func (d *drill) watch() {
	d.t.Helper()
	dir, address := d.t.TempDir(), testkit.FreeAddress(d.t)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must(d.t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	write("rules.yaml", hurried(testkit.ReadFile(d.t, root+"/deploy/prometheus/rules.yaml")))
	var targets []string
	for _, n := range []*server{d.first, d.second, d.unread} {
		targets = append(targets, strconv.Quote(strings.TrimPrefix(n.admin, "http://")))
	}
	text := testkit.ReadFile(d.t, root+"/deploy/prometheus/prometheus.yaml")
	text = strings.NewReplacer("15s", "1s", `["127.0.0.1:9090"]`, "["+strings.Join(targets, ", ")+"]").Replace(text)
	cmd := exec.Command("prometheus", "--config.file="+write("prometheus.yaml", text), "--storage.tsdb.path="+dir+"/data",
		"--web.listen-address="+address, "--log.level=warn")
	startCommand(d.t, cmd)
	d.prometheus = "http://" + address
	testkit.EventuallyGet(d.t, d.prometheus+"/-/ready", testkit.Response.OK)
}

// ask asks a node once, from an address of its own so that no quota is met.
func (d *drill) ask(n *server, header http.Header) {
	i := d.asked.Add(1)
	h := http.Header{"X-Forwarded-For": {fmt.Sprintf("198.%d.%d.%d", 18+i>>16&1, i>>8&255, i&255)}}
	maps.Copy(h, header)
	_, _ = testkit.Fetch(n.public+"/api/v1/stats", h) // whatever comes is what is measured
}

// firing are the alarms that fire now.
func (d *drill) firing() map[string]bool {
	d.t.Helper()
	var list struct {
		Data struct {
			Alerts []struct {
				State  string
				Labels map[string]string
			}
		}
	}
	must(d.t, json.Unmarshal([]byte(testkit.Get(d.t, d.prometheus+"/api/v1/alerts").Body), &list))
	names := make(map[string]bool)
	for _, a := range list.Data.Alerts {
		if a.State == "firing" {
			names[a.Labels["alertname"]] = true
		}
	}
	return names
}

// quiet waits for the first hundred answers, and then wants silence for ten hurried minutes.
func (d *drill) quiet() {
	d.t.Helper()
	testkit.EventuallyTrue(d.t, "Prometheus counts", func() bool {
		return strings.Contains(testkit.Get(d.t, d.prometheus+"/api/v1/query?query="+"palmares:api_answers:increase1h%3E%3D100").Body, `"value"`)
	})
	for range 10 {
		time.Sleep(time.Second)
		names := d.firing()
		maps.DeleteFunc(names, func(name string, _ bool) bool { return strings.HasPrefix(name, "Latency") }) // the machine is busy with others
		if len(names) > 0 {
			d.t.Fatalf("%v fire while all is well", names)
		}
	}
}

// causes causes something, waits for its alarms, types what their runbooks say, ends the cause and waits for their end.
func (d *drill) causes(cause string, begin, meanwhile, end func(), names ...string) {
	d.t.Helper()
	began, fired := time.Now(), make(map[string]time.Duration)
	begin()
	testkit.EventuallyTrue(d.t, fmt.Sprint(names, " fire: ", cause), func() bool {
		meanwhile()
		for name := range d.firing() {
			if fired[name] == 0 {
				fired[name] = time.Since(began)
			}
		}
		for _, name := range names {
			if fired[name] == 0 {
				return false
			}
		}
		return true
	})
	commands := make(map[string]string)
	for _, name := range names {
		commands[name] = d.follow(name)
	}
	end()
	over, ended := time.Now(), make(map[string]time.Duration)
	testkit.EventuallyTrue(d.t, fmt.Sprint(names, " end: ", cause), func() bool {
		now := d.firing()
		for _, name := range names {
			if !now[name] && ended[name] == 0 {
				ended[name] = time.Since(over)
			}
		}
		return len(ended) == len(names)
	})
	for _, name := range names {
		d.rows = append(d.rows, fmt.Sprintf("%-22s %-46s %7.0fs %7.0fs  %s", name, cause, fired[name].Seconds(), ended[name].Seconds(), commands[name]))
	}
}

// follow types the commands of an alarm's runbook as they stand there, on the machine of the first node. What asks an engine
// that is gone fails, as it does for whoever was woken.
func (d *drill) follow(name string) string {
	d.t.Helper()
	good, all := 0, 0
	for line := range strings.Lines(strings.Join(commandsOf(d.t)[name], "")) {
		cmd := exec.CommandContext(d.t.Context(), "bash", "-euo", "pipefail", "-c", line)
		cmd.Env = d.environ
		out, err := cmd.CombinedOutput()
		all++
		switch {
		case err == nil:
			good++
		case strings.HasPrefix(line, "curl"):
			d.t.Errorf("%s: %s%v\n%s", name, line, err, out)
		}
	}
	if all == 0 {
		d.t.Errorf("the runbook of %s has no commands", name)
	}
	return fmt.Sprintf("%d of %d work", good, all)
}

func nothing() {}

func (d *drill) countAlone() {
	d.causes("Redis is killed", d.redis.Kill, nothing, d.redis.Start, "QuotasCountedAlone")
}

// loseFeed takes PostgreSQL away. Keys that no node knows cannot be checked meanwhile: their callers get a 503.
func (d *drill) loseFeed() {
	stranger := func() {
		for range 10 {
			d.ask(d.first, testkit.Bearer(account.NewKey().Reveal()))
		}
	}
	d.causes("PostgreSQL is gone, strangers bring keys", d.postgres.Stop, stranger, d.postgres.Start, "FeedLost", "AvailabilityBurnsFast")
}

func (d *drill) dropLog() {
	d.causes("nobody reads the log, then somebody does", nothing, func() {
		for range 500 {
			d.ask(d.unread, nil)
		}
	}, func() { go io.Copy(io.Discard, d.log) }, "LogLinesDropped")
}

func (d *drill) slow() {
	end := nothing
	d.causes("Redis is 100 ms away", func() { end = d.toRedis.ToServer(testkit.Fault{Delay: 100 * time.Millisecond}) }, nothing,
		func() { end() }, "LatencyBurnsFast")
}

func (d *drill) differ() {
	again := nothing
	d.causes("one node cannot reach PostgreSQL", func() {
		again = d.toPostgres.Refuse()
		d.publish()
	}, nothing, func() { again() }, "EditionsDiffer")
}

func (d *drill) clock(by time.Duration) {
	d.causes(fmt.Sprintf("PostgreSQL's clock is off by %v", by), func() { d.postgres.Stop(); d.postgres.StartWithClockOff(by) }, nothing,
		func() { d.postgres.Stop(); d.postgres.Start() }, "ClockWrong")
}

// late gives the only worker another secret while a delivery waits for its second attempt.
func (d *drill) late() {
	d.receiver.Answer(func([]byte) (int, string) { return http.StatusInternalServerError, "" })
	d.causes("the worker has another secret", func() {
		before := len(d.receiver.Requests())
		d.publish()
		testkit.EventuallyTrue(d.t, "a delivery fails", func() bool { return len(d.receiver.Requests()) > before })
		d.first.stop()
		d.first.process = start(d.t, append(d.environ, "PALMARES_SECRET=another-0123456789abcdef0123456789abcdef"), "serve")
	}, nothing, func() {
		d.receiver.Answer(func([]byte) (int, string) { return http.StatusOK, "" })
		before := len(d.receiver.Requests())
		d.first.stop()
		d.first.process = start(d.t, d.environ, "serve")
		d.first.ready()
		testkit.EventuallyTrue(d.t, "what was late is delivered", func() bool { return len(d.receiver.Requests()) > before })
	}, "WebhooksLate", "SecretWrong")
}

// publish publishes an edition that changes something.
func (d *drill) publish() {
	d.t.Helper()
	testkit.Edit(d.t, filepath.Join(d.content, "tools", "ame.md"), "\ntagline: ", "\ntagline: Encore ")
	palmares(d.t, d.environ, "publish", d.content)
}
