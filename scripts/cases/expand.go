package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	secret       = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=" //nolint:gosec // made up, for the cases alone
	secretBefore = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDC2FVsBQIhrs=" //nolint:gosec // as above
)

// signed says how a webhook is signed.
type signed struct {
	Secrets []string `json:"secrets"`
	Age     int64    `json:"age"`
	Body    *string  `json:"body"`
	ID      string   `json:"id"`
	Drop    string   `json:"drop"`
}

// expand reads the cases and writes them for the runner, with every variable filled in. It returns the path.
func (p *proxy) expand(file string, only *regexp.Regexp, dir string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	var all struct {
		Cases []json.RawMessage `json:"cases"`
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	cases := []map[string]any{}
	for i, raw := range all.Cases {
		var named struct {
			Name string `json:"name"`
		}
		if err := json.Unmarshal(raw, &named); err != nil {
			return "", err
		}
		if !only.MatchString(named.Name) {
			continue
		}
		one, err := p.add(p.fill(raw, named.Name, dir), i)
		if err != nil {
			return "", fmt.Errorf("%s: %s: %w", file, named.Name, err)
		}
		cases = append(cases, one)
	}
	out, err := json.MarshalIndent(map[string]any{"cases": cases}, "", "  ")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "cases.json")
	return path, os.WriteFile(path, out, 0o600)
}

// fill fills in the variables of a case.
func (p *proxy) fill(raw []byte, name, dir string) []byte {
	now := time.Now().UTC()
	values := map[string]string{
		"url": p.url + "/" + name, "directory": filepath.Join(dir, name),
		"secret": secret, "secret_before": secretBefore,
		"today": now.Format(time.DateOnly), "month": now.Format("2006-01"),
		"in_an_hour": now.Add(time.Hour).Format(http.TimeFormat),
	}
	maps.Copy(values, p.service.keys)
	for k, v := range values {
		raw = bytes.ReplaceAll(raw, []byte("${"+k+"}"), []byte(v))
	}
	return raw
}

// add adds a case to those of the proxy, and returns it as the runner gets it.
func (p *proxy) add(raw []byte, n int) (map[string]any, error) {
	if i := bytes.Index(raw, []byte("${")); i >= 0 {
		return nil, fmt.Errorf("not filled in: %.20s", raw[i:])
	}
	c := &tried{address: fmt.Sprintf("100.%d.%d.7", 64+p.run, n)}
	known := json.NewDecoder(bytes.NewReader(raw))
	known.DisallowUnknownFields()
	if err := known.Decode(c); err != nil {
		return nil, err
	}
	var one map[string]any
	if err := json.Unmarshal(raw, &one); err != nil {
		return nil, err
	}
	for i, s := range c.Steps {
		if s.Signed != nil {
			step := one["steps"].([]any)[i].(map[string]any)          //nolint:forcetypeassert // it was decoded above
			with := step["with"].(map[string]any)                     //nolint:forcetypeassert // the form of a case
			with["headers"] = s.Signed.headers(with["body"].(string)) //nolint:forcetypeassert // likewise
		}
	}
	one["url"], one["judge"] = p.url+"/"+c.Name, p.url+"/"+c.Name+"/judge"
	p.cases = append(p.cases, c)
	return one, nil
}

// headers signs a body as Standard Webhooks has it.
func (s *signed) headers(body string) map[string]string {
	if s.Body != nil {
		body = *s.Body
	}
	id, at := "msg_2vR8mJ5tQ1", strconv.FormatInt(time.Now().Unix()-s.Age, 10)
	signatures := make([]string, len(s.Secrets))
	for i, one := range s.Secrets {
		key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(one, "whsec_")) // they are constants
		mac := hmac.New(sha256.New, key)
		_, _ = fmt.Fprintf(mac, "%s.%s.%s", id, at, body)
		signatures[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	if s.ID != "" {
		id = s.ID
	}
	h := map[string]string{"webhook-id": id, "webhook-timestamp": at, "webhook-signature": strings.Join(signatures, " ")}
	delete(h, s.Drop)
	return h
}
