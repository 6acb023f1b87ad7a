package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

const installGuide = root + "/docs/operations/install.md"

// A markedBlock is a block of the guide, with who can run it: anybody, systemd or docker.
type markedBlock struct{ by, language, text string }

// installBlocks are the blocks of the guide on installing, of which each must be marked.
func installBlocks(t *testing.T) (blocks []markedBlock) {
	t.Helper()
	text := testkit.ReadFile(t, installGuide)
	for _, m := range regexp.MustCompile("(?ms)^<!-- (run|systemd|docker) -->\n```(\\w+)\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, markedBlock{m[1], m[2], m[3]})
	}
	testkit.Equal(t, "blocks that are not marked", strings.Count(text, "\n```")/2-len(blocks), 0)
	return blocks
}

// .ci/install runs the blocks for anybody and those for systemd. Here they are counted, so that none is left out because of
// its mark, and read by the shell that would run them.
func TestInstall_EveryBlockIsMarked(t *testing.T) {
	t.Parallel()
	count := make(map[string]int)
	for _, b := range installBlocks(t) {
		count[b.by+" "+b.language]++
		if b.language != "sh" {
			continue
		}
		sh := exec.Command("bash", "-n")
		sh.Stdin = strings.NewReader(b.text)
		if out, err := sh.CombinedOutput(); err != nil {
			t.Errorf("bash: %v %s\n%s", err, out, b.text)
		}
		if b.by == "run" && regexp.MustCompile(`(?m)^(docker|systemctl|apt|certbot) `).MatchString(b.text) {
			t.Errorf("only a stand-in can run this:\n%s", b.text)
		}
	}
	testkit.Equal(t, "the blocks", count, map[string]int{"run sh": 13, "systemd sh": 6, "docker sh": 2, "docker yaml": 1})
}

// A composedService is what docker would make of a service: here by the library that docker compose is made of.
type composedService struct {
	Command     []string           `json:"command"`
	Environment map[string]*string `json:"environment"`
	ReadOnly    bool               `json:"read_only"`
	Ports       []struct {
		HostIP string `json:"host_ip"`
	} `json:"ports"`
	Secrets []struct {
		Source string `json:"source"`
	} `json:"secrets"`
	Volumes []struct {
		Source string `json:"source"`
		Target string `json:"target"`
	} `json:"volumes"`
}

type composition struct {
	Services map[string]composedService `json:"services"`
	Secrets  map[string]struct {
		File string `json:"file"`
	} `json:"secrets"`
}

// composed is a compose file as docker would read it.
func composed(t *testing.T, text []byte) (c composition) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "compose.yaml")
	must(t, os.WriteFile(file, text, 0o600))
	modfile, err := filepath.Abs(root + "/tools/compose/go.mod")
	must(t, err)
	cmd := exec.Command("go", "tool", "-modfile="+modfile, "github.com/compose-spec/compose-go/v2/cmd", "-format", "json", file)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath") // as the release is compiled, and the other tools
	out, _ := finish(t, cmd)
	must(t, json.Unmarshal([]byte(out), &c))
	return c
}

// The road by the image: docker would take both files, the services that commands name are there, the commands are ours, and
// a node would start with the settings of the guide.
func TestInstall_Compose(t *testing.T) {
	t.Parallel()
	all := composed(t, filledCompose(t))
	testkit.Equal(t, "the services of compose.yaml", len(all.Services), 8)

	ran := regexp.MustCompile(`(?m)^docker compose (?:run --rm|exec) (\S+) (?:/palmares )?(.*)$`)
	commands := 0
	for _, b := range installBlocks(t) {
		if b.by != "docker" {
			continue
		}
		if b.language == "yaml" {
			all = composed(t, []byte(b.text)) // what comes after is about this one
			continue
		}
		for _, m := range ran.FindAllStringSubmatch(b.text, -1) {
			commands++
			if _, found := all.Services[m[1]]; !found {
				t.Errorf("%s: there is no such service", m[0])
			}
			palmares(t, nil, append(strings.Fields(m[2]), "--help")...)
		}
	}
	testkit.Equal(t, "the commands in containers", commands, 8)
	testkit.Equal(t, "the services where engines are elsewhere", len(all.Services), 1)
	checkNode(t, all)
}

// checkNode wants a node to start as the guide has it: with secrets that are mounted, and out of reach of others.
func checkNode(t *testing.T, all composition) {
	t.Helper()
	s := all.Services["palmares"]
	if !s.ReadOnly || len(s.Ports) != 1 || s.Ports[0].HostIP != "127.0.0.1" {
		t.Errorf("its files can be written, or it listens elsewhere than on 127.0.0.1: %+v", s)
	}
	dir := t.TempDir()
	there := make(map[string]string) // what is where, by the path in the container
	for name, text := range map[string]string{
		"database": "postgres://palmares:a@db.internal/palmares?sslmode=verify-full", "redis": "rediss://redis.internal:6380",
		"secret": strings.Repeat("5", 64), "smtp": "smtp://user:password@mail.example.org:587",
	} {
		file := filepath.Join(dir, name)
		must(t, os.WriteFile(file, []byte(text+"\n"), 0o600))
		testkit.Equal(t, "where the secret is", all.Secrets[name].File, "/etc/palmares/secrets/"+name)
		for _, mounted := range s.Secrets {
			if mounted.Source == name {
				there["/run/secrets/"+name] = file
			}
		}
	}
	authority := testkit.NewAuthority(t).File
	for _, v := range s.Volumes {
		if v.Target == "/etc/palmares/ca.pem" {
			there[v.Target] = authority
		}
	}
	var environ []string
	for name, value := range s.Environment {
		if strings.HasPrefix(*value, "/") && there[*value] == "" {
			t.Errorf("%s is %s, which is not mounted", name, *value)
			continue
		}
		if path := there[*value]; path != "" {
			value = &path
		}
		environ = append(environ, name+"="+*value)
	}
	testkit.Equal(t, "the files that are mounted", len(there), 5)
	_, warned := palmares(t, environ, "config")
	testkit.Equal(t, "what palmares config has to say", warned, "")
}
