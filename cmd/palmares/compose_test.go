package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A composeService is what compose.yaml says of a service, as far as it can be run without docker.
type composeService struct {
	Image       string
	Command     []string
	Environment map[string]*string // nil comes from outside
	Volumes     []string
	Ports       []string
	Network     string                                `yaml:"network_mode"`
	DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
	Healthcheck *struct{ Test []string }
	ReadOnly    bool `yaml:"read_only"`
}

// readCompose gives the services of compose.yaml, their order in it and the volumes it declares.
func readCompose(t *testing.T) (services map[string]composeService, order []string, volumes map[string]any) {
	t.Helper()
	text := filledCompose(t)
	var named struct {
		Services map[string]composeService
		Volumes  map[string]any
	}
	var ordered struct{ Services yaml.MapSlice }
	testkit.Must(t, yaml.Unmarshal(text, &named))
	testkit.Must(t, yaml.Unmarshal(text, &ordered))
	for _, item := range ordered.Services {
		order = append(order, item.Key.(string))
	}
	return named.Services, order, named.Volumes
}

// filledCompose is compose.yaml with the variables that docker compose would find in .env.
func filledCompose(t *testing.T) []byte {
	t.Helper()
	text := []byte(regexp.MustCompile(`\$\{\w+:-([^}]*)\}`).ReplaceAllString(testkit.ReadFile(t, root+"/compose.yaml"), "$1"))
	for name, value := range passwords(t) {
		text = regexp.MustCompile(`\$\{`+name+`:\?[^}]+\}`).ReplaceAll(text, []byte(value))
	}
	return text
}

// passwords are those that scripts/passwords writes for compose.yaml.
func passwords(t *testing.T) map[string]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), ".env")
	for range 2 { // the second time it changes nothing
		out, err := exec.Command(root+"/scripts/passwords", file).CombinedOutput()
		if err != nil {
			t.Fatalf("scripts/passwords: %v %s", err, out)
		}
	}
	all := make(map[string]string)
	for line := range strings.Lines(testkit.ReadFile(t, file)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if all[name] != "" || len(value) < 32 {
			t.Errorf("scripts/passwords wrote %s twice, or too short", name)
		}
		all[name] = value
	}
	return all
}

// Nobody reaches an engine of compose.yaml without a password, and none is in the file.
func TestCompose_Passwords(t *testing.T) {
	t.Parallel()
	text := testkit.ReadFile(t, root+"/compose.yaml")
	for _, bad := range []string{"trust", "postgres://postgres@", "redis://redis", "PASSWORD: postgres"} {
		if strings.Contains(text, bad) {
			t.Errorf("compose.yaml has %q", bad)
		}
	}
	for _, want := range []string{"POSTGRES_PASSWORD: \"${POSTGRES_PASSWORD:?", "--requirepass, \"${REDIS_PASSWORD:?", "PALMARES_SECRET: \"${PALMARES_SECRET:?"} {
		if !strings.Contains(text, want) {
			t.Errorf("compose.yaml has no %s: docker compose would start without", want)
		}
	}
}

// scripts/pin-images pins every image but ours, and moves digests on. docker is a stand-in.
func TestCompose_PinImages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "compose.yaml")
	testkit.Must(t, os.WriteFile(file, []byte(testkit.ReadFile(t, root+"/compose.yaml")), 0o600))
	for _, digit := range []string{"a", "b"} {
		digest := "sha256:" + strings.Repeat(digit, 64)
		testkit.Must(t, os.WriteFile(filepath.Join(dir, "docker"), []byte("#!/bin/sh\necho "+digest+"\n"), 0o700))
		cmd := exec.Command(root + "/scripts/pin-images")
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "PIN_FILE="+file)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		text := testkit.ReadFile(t, file)
		pinned := regexp.MustCompile(`(?m)^ +image: \S+:\S+@`+digest).FindAllString(text, -1)
		if len(pinned) != 4 || strings.Count(text, "@sha256:") != 4 || !strings.Contains(text, "image: palmares #") {
			t.Errorf("%d images are pinned:\n%s", len(pinned), strings.Join(pinned, "\n"))
		}
	}
}

// composeEngines are the addresses at which compose.yaml publishes the engines, for development.
func composeEngines(t *testing.T) (addresses []string) {
	t.Helper()
	services, _, _ := readCompose(t)
	for _, name := range []string{"postgres", "redis"} {
		addresses = append(addresses, strings.TrimSuffix(services[name].Ports[0], ":"+imagePorts[name][0]))
	}
	return addresses
}

// A stack is the services of compose.yaml, run as processes. In docker each has a network and files
// of its own; here they have other addresses and folders instead.
type stack struct {
	t         *testing.T
	services  map[string]composeService
	addresses map[string]string // such as redis:6379 to 127.0.0.1:41234
	volumes   map[string]string // the folders of named volumes, and one of the image itself
	state     map[string]string // the condition that a service fulfils
	nodes     map[string]*process
}

// The ports that images listen on.
var imagePorts = map[string][]string{
	"postgres": {"5432"}, "redis": {"6379"}, "axllent/mailpit": {"1025", "8025"}, "palmares": {"8080", "9090"}, "nginx": {"80"},
}

// Every service of compose.yaml does its work, with its own command, environment and health check,
// once those are there that it waits for. Of those that could start, the last in the file is the
// first to do so: one that does not say whom it needs finds that missing.
func TestCompose(t *testing.T) {
	t.Parallel()
	services, order, volumes := readCompose(t)
	s := &stack{
		t: t, services: services, addresses: map[string]string{}, volumes: map[string]string{"image": t.TempDir()},
		state: map[string]string{}, nodes: map[string]*process{},
	}
	for name := range volumes {
		s.volumes[name] = t.TempDir()
	}
	for name, service := range services {
		for _, port := range imagePorts[service.image()] {
			s.addresses[name+":"+port] = testkit.FreeAddress(t)
		}
	}
	slices.Reverse(order)
	for len(order) > 0 {
		next := slices.IndexFunc(order, s.canStart)
		if next < 0 {
			t.Fatalf("%v wait for what never comes to be", order)
		}
		s.start(order[next])
		order = slices.Delete(order, next, next+1)
	}
	s.checkPorts()
	s.checkProduct()
}

func (c composeService) image() string {
	name, _, _ := strings.Cut(c.Image, ":")
	return name
}

func (s *stack) canStart(name string) bool {
	for on, needs := range s.services[name].DependsOn {
		if s.state[on] != needs.Condition {
			return false
		}
	}
	return true
}

// start runs a service until it has ended or is healthy, whichever it is meant to.
func (s *stack) start(name string) {
	s.t.Helper()
	service := s.services[name]
	switch service.image() {
	case "palmares":
		s.startPalmares(name)
	case "postgres":
		s.startPostgres(name)
	case "redis":
		s.launch(service.Command[0], append(service.Command[1:], "--port", s.port(name), "--bind", "127.0.0.1", "--dir", s.t.TempDir())...)
	case "nginx":
		s.startNginx(name)
	case "axllent/mailpit": // nothing is sent in this test
	default:
		s.t.Fatalf("%s: nothing is known of the image %s", name, service.Image)
	}
	if service.Healthcheck != nil {
		testkit.Eventually(s.t, func() error { return s.health(name) })
		s.state[name] = "service_healthy"
	}
}

// health runs the health check of a service.
func (s *stack) health(name string) error {
	test := s.services[name].Healthcheck.Test
	testkit.Equal(s.t, name+"'s kind of check", test[0], "CMD")
	if s.services[name].image() == "palmares" {
		testkit.Equal(s.t, "the program of the image", test[1], "/palmares")
		return command(s.t, s.environment(name), test[2:]...).Run()
	}
	check := exec.Command(test[1], append([]string{"-p", s.port(name)}, test[2:]...)...)
	if auth := s.services[name].Environment["REDISCLI_AUTH"]; auth != nil {
		check.Env = append(os.Environ(), "REDISCLI_AUTH="+*auth)
	}
	out, err := check.CombinedOutput()
	if err == nil && strings.Contains(string(out), "NOAUTH") { // redis-cli takes that for a success
		err = errors.New(string(out))
	}
	return err
}

// port is the port that stands for the first of those that a service listens on.
func (s *stack) port(name string) string {
	_, port, _ := net.SplitHostPort(s.addresses[name+":"+imagePorts[s.services[name].image()][0]])
	return port
}

// launch runs an engine until the end of the test.
func (s *stack) launch(program string, args ...string) {
	s.t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		pgtest.SkipOrFail(s.t, "%v: CONTRIBUTING.md says what to install", err)
	}
	startCommand(s.t, exec.Command(program, args...))
}

func (s *stack) startPostgres(name string) {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), pgtest.NewServer(s.t).URL())
	testkit.Must(s.t, err)
	defer conn.Close(s.t.Context())
	database := *s.services[name].Environment["POSTGRES_DB"]
	_, err = conn.Exec(s.t.Context(), "CREATE DATABASE "+pgx.Identifier{database}.Sanitize())
	testkit.Must(s.t, err)
	s.addresses[name+":5432"] = net.JoinHostPort(conn.Config().Host, strconv.Itoa(int(conn.Config().Port)))
}

// startNginx runs the configuration that is mounted, in front of the node whose network it shares.
func (s *stack) startNginx(name string) {
	s.t.Helper()
	service := s.services[name]
	source, target, _ := strings.Cut(service.Volumes[0], ":")
	testkit.Equal(s.t, "where the configuration goes", target, "/etc/nginx/conf.d/default.conf:ro")
	dir, node := s.t.TempDir(), strings.TrimPrefix(service.Network, "service:")
	site, around := filepath.Join(dir, "site.conf"), filepath.Join(dir, "nginx.conf")
	testkit.Must(s.t, os.WriteFile(site, []byte(testkit.ReadFile(s.t, filepath.Join(root, source))), 0o600))
	testkit.Edit(s.t, site, "listen 80;", "listen "+s.addresses[name+":80"]+";")
	testkit.Edit(s.t, site, "server 127.0.0.1:8080 ", "server "+s.addresses[node+":8080"]+" ")
	testkit.Edit(s.t, site, "/var/cache/nginx", dir)
	text := testkit.ReadFile(s.t, root+"/internal/node/testdata/nginx/nginx.conf")
	testkit.Must(s.t, os.WriteFile(around, []byte(strings.ReplaceAll(text, "DIR", dir)), 0o600))
	args := []string{"-p", dir, "-c", around}
	if os.Geteuid() == 0 {
		args = append(args, "-g", "user root;") // the folder is the test's
	}
	s.launch("/usr/sbin/nginx", args...)
}

// startPalmares runs a command of the program. One without a health check must end well.
func (s *stack) startPalmares(name string) {
	s.t.Helper()
	service := s.services[name]
	if !service.ReadOnly {
		s.t.Errorf("%s: the files of its image can be written", name)
	}
	var args []string
	for _, arg := range service.Command {
		args = append(args, s.inside(name, arg))
	}
	p := start(s.t, s.environment(name), args...)
	s.nodes[name] = p
	if service.Healthcheck == nil {
		p.wait()
		s.state[name] = "service_completed_successfully"
	}
}

// environment is what a program of ours finds set: by the image, by compose.yaml, and last the
// addresses that stand for its own network.
func (s *stack) environment(name string) (environ []string) {
	s.t.Helper()
	for _, set := range regexp.MustCompile(`(?m)^ENV (\w+)=(.*)$`).FindAllStringSubmatch(testkit.ReadFile(s.t, root+"/Containerfile"), -1) {
		environ = append(environ, set[1]+"="+s.inside(name, set[2]))
	}
	for variable, value := range s.services[name].Environment {
		switch {
		case value != nil:
			environ = append(environ, variable+"="+s.inside(name, *value))
		default:
			s.t.Errorf("%s: README.md does not say how to set %s", name, variable)
		}
	}
	return append(environ, "PALMARES_LISTEN="+s.addresses[name+":8080"], "PALMARES_ADMIN_LISTEN="+s.addresses[name+":9090"])
}

// inside is what a value means here that a service sees in its own network and among its own files.
func (s *stack) inside(name, value string) string {
	s.t.Helper()
	for _, volume := range append(s.services[name].Volumes, "image:/var/lib/palmares") {
		parts := strings.Split(volume, ":")
		rest, found := strings.CutPrefix(value, parts[1])
		if !found {
			continue
		}
		if strings.HasPrefix(parts[0], ".") {
			return filepath.Join(root, parts[0]) + rest
		}
		if s.volumes[parts[0]] == "" {
			s.t.Fatalf("%s: the volume %s is not declared", name, parts[0])
		}
		return s.volumes[parts[0]] + rest
	}
	for host, address := range s.addresses {
		value = strings.Replace(value, "//"+host, "//"+address, 1)
		value = strings.Replace(value, "@"+host, "@"+address, 1)
	}
	if left := regexp.MustCompile(`[/@]([a-z]+:\d+)(?:/|$)`).FindStringSubmatch(value); left != nil {
		s.t.Fatalf("%s names %s, where nothing listens", name, left[1])
	}
	return value
}

// checkPorts wants every published port to be one that something listens on, for this machine alone.
func (s *stack) checkPorts() {
	s.t.Helper()
	for name, service := range s.services {
		for _, published := range service.Ports {
			port, local := strings.CutPrefix(published, "127.0.0.1:")
			_, port, _ = strings.Cut(port, ":")
			known := slices.Contains(imagePorts[service.image()], port)
			for _, other := range s.services {
				known = known || other.Network == "service:"+name && slices.Contains(imagePorts[other.image()], port)
			}
			if !known || !local {
				s.t.Errorf("%s publishes %s", name, published)
			}
		}
	}
}

// counters is how many clients have been charged today.
func (s *stack) counters() int {
	s.t.Helper()
	ask := exec.Command("redis-cli", "-p", s.port("redis"), "keys", "palmares:quota:*:address:*")
	ask.Env = append(os.Environ(), "REDISCLI_AUTH="+*s.services["redis"].Environment["REDISCLI_AUTH"])
	keys, err := ask.Output()
	testkit.Must(s.t, err)
	return len(strings.Fields(string(keys)))
}

// checkProduct asks nginx, which asks the node, which counts in Redis.
func (s *stack) checkProduct() {
	s.t.Helper()
	front, admin := "http://"+s.addresses["nginx:80"], "http://"+s.addresses["api:9090"]
	testkit.EventuallyTrue(s.t, "quotas are counted in Redis", func() bool { return testkit.Metric(s.t, admin, "palmares_quota_shared") == 1 })
	testkit.EventuallyGet(s.t, front+"/api/v1/openapi.json", testkit.Response.OK)
	for i, client := range []string{"198.51.100.7", "198.51.100.8"} {
		r, err := testkit.Fetch(fmt.Sprint(front, "/api/v1/tools?limit=", i+1), http.Header{"X-Forwarded-For": {client}})
		testkit.Must(s.t, err)
		testkit.Equal(s.t, "the status", r.Status, http.StatusOK)
		published := strings.TrimSuffix(s.services["api"].Ports[0], ":80")
		if link := r.Header.Get("Link"); !strings.Contains(link, "<http://"+published+"/") {
			s.t.Errorf("links are %s, nginx is at %s", link, published)
		}
	}
	testkit.Equal(s.t, "the counters of two clients behind nginx", s.counters(), 2)
	for _, file := range []string{"snapshot", "snapshot.keys"} {
		testkit.Eventually(s.t, func() error {
			_, err := os.Stat(filepath.Join(s.volumes["copies"], file))
			return err
		})
	}
	// The example says that its pages are at palmares.example, and a node on 127.0.0.1 says so.
	// On a busy machine an engine may answer late, which it says as well.
	elsewhere := regexp.MustCompile(`(?m)^.*(catalog\.yaml leads elsewhere than to this site: |context deadline exceeded|i/o timeout).*$`)
	for name, p := range s.nodes {
		if printed := elsewhere.ReplaceAllString(p.log.String(), ""); regexp.MustCompile(`(?i)"level":"(warn|error)"|warning:`).MatchString(printed) {
			s.t.Errorf("%s warns:\n%s", name, printed)
		}
	}
}
