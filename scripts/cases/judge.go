package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// expectation is what a case says of outcomes, of the wire and of the folder of a store.
type expectation struct {
	About  string          `json:"about"`
	Client json.RawMessage `json:"client"`
	Steps  []struct {
		Call   string          `json:"call"`
		With   json.RawMessage `json:"with"`
		Take   int             `json:"take"`
		Client json.RawMessage `json:"client"`
		Signed *signed         `json:"signed"`
		Expect map[string]any  `json:"expect"`
	} `json:"steps"`
	Wire      map[string]any `json:"wire"`
	Directory *struct {
		Mode    string `json:"mode"`
		Files   int    `json:"files"`
		Without string `json:"without"`
	} `json:"directory"`
}

// judge takes the outcome of a case and answers what is wrong with it.
func (c *tried) judge(w http.ResponseWriter, r *http.Request) {
	var outcome struct {
		Steps []any `json:"steps"`
	}
	if err := json.NewDecoder(r.Body).Decode(&outcome); err != nil {
		c.faults = append(c.faults, "the outcome is no JSON: "+err.Error())
	}
	c.reported = true
	if len(outcome.Steps) != len(c.Steps) {
		c.faults = append(c.faults, fmt.Sprintf("%d outcomes of %d steps", len(outcome.Steps), len(c.Steps)))
	} else {
		for i, s := range c.Steps {
			c.compare("step "+strconv.Itoa(i), outcome.Steps[i], s.Expect)
		}
	}
	c.compare("wire", value(c.exchanges), c.Wire)
	if err := c.directory(); err != nil {
		c.faults = append(c.faults, err.Error())
	}
	if len(c.faults) == 0 {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.WriteHeader(http.StatusUnprocessableEntity)
	_, _ = fmt.Fprintln(w, strings.Join(c.faults, "\n"))
}

// compare notes what is not as expected.
func (c *tried) compare(what string, got any, want map[string]any) {
	for path, w := range want {
		g, there := find(got, strings.Split(path, "."))
		if reason := c.differs(g, there, w); reason != "" {
			c.faults = append(c.faults, what+", "+path+": "+reason)
		}
	}
	slices.Sort(c.faults)
}

// find follows a path.
func find(v any, path []string) (any, bool) {
	if len(path) == 0 {
		return v, true
	}
	switch v := v.(type) {
	case map[string]any:
		one, there := v[path[0]]
		if !there {
			return nil, false
		}
		return find(one, path[1:])
	case []any:
		if path[0] == "length" {
			return float64(len(v)), true
		}
		if path[0] == "*" {
			all := []any{}
			for _, one := range v {
				if g, there := find(one, path[1:]); there {
					all = append(all, g)
				}
			}
			return all, true
		}
		if i, err := strconv.Atoi(path[0]); err == nil && i < len(v) {
			return find(v[i], path[1:])
		}
	}
	return nil, false
}

// differs returns why a value is not the expected one, or nothing.
func (c *tried) differs(got any, there bool, want any) string {
	rule, is := want.(map[string]any)
	if !is || !isRule(rule) {
		if !reflect.DeepEqual(got, want) {
			return fmt.Sprintf("%s instead of %s", text(got), text(want))
		}
		return ""
	}
	if _, absent := rule["absent"]; absent {
		if got != nil {
			return text(got) + " instead of nothing"
		}
		return ""
	}
	if !there {
		return "is missing"
	}
	if pattern, is := rule["matches"].(string); is {
		s, is := got.(string)
		if !is {
			s = text(got)
		}
		if !regexp.MustCompile(pattern).MatchString(s) {
			return fmt.Sprintf("%q does not match %s", s, pattern)
		}
	}
	for bound, sign := range map[string]float64{"min": 1, "max": -1} {
		if limit, is := rule[bound].(float64); is {
			if n, is := got.(float64); !is || n*sign < limit*sign {
				return fmt.Sprintf("%s is outside of %s %v", text(got), bound, limit)
			}
		}
	}
	if has, is := rule["has"].([]any); is {
		list, _ := got.([]any)
		for _, one := range has {
			if !slices.ContainsFunc(list, func(g any) bool { return reflect.DeepEqual(g, one) }) {
				return fmt.Sprintf("%s lacks %s", text(got), text(one))
			}
		}
	}
	return c.differsFromWire(got, rule)
}

// differsFromWire compares with a header or the body of a response.
func (c *tried) differsFromWire(got any, rule map[string]any) string {
	of := len(c.exchanges) - 1
	if n, is := rule["of"].(float64); is {
		of = int(n)
	}
	if n, is := rule["body"].(float64); is {
		of = int(n)
	}
	if rule["header"] == nil && rule["body"] == nil {
		return ""
	}
	if of < 0 || of >= len(c.exchanges) {
		return fmt.Sprintf("there is no exchange %d", of)
	}
	if name, is := rule["header"].(string); is {
		if want := c.exchanges[of].Response[name]; want == "" || got != want {
			return fmt.Sprintf("%s instead of %q, the %s of exchange %d", text(got), want, name, of)
		}
		return ""
	}
	want, err := c.exchanges[of].decoded()
	if err != nil {
		return err.Error()
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Sprintf("%s instead of the body %s", text(got), text(want))
	}
	return ""
}

// isRule reports whether an object says what is expected, rather than being it.
func isRule(o map[string]any) bool {
	for _, key := range []string{"absent", "matches", "min", "max", "has", "header", "body"} {
		if _, is := o[key]; is {
			return true
		}
	}
	return false
}

// directory checks the files of a store.
func (c *tried) directory() error {
	if c.Directory == nil {
		return nil
	}
	var client struct {
		Directory string `json:"directory"`
	}
	if err := json.Unmarshal(c.Client, &client); err != nil {
		return err
	}
	files := 0
	err := filepath.WalkDir(client.Directory, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		info, err := d.Info()
		if err != nil {
			return err
		}
		if mode := strconv.FormatUint(uint64(info.Mode().Perm()), 8); mode != c.Directory.Mode {
			return fmt.Errorf("the mode of %s is %s", path, mode)
		}
		content, err := os.ReadFile(path) //nolint:gosec // in a folder of this run
		if strings.Contains(path+string(content), c.Directory.Without) {
			return errors.Join(err, errors.New("the key is in "+path))
		}
		return err
	})
	if err == nil && files < c.Directory.Files {
		err = fmt.Errorf("%d files in the store", files)
	}
	return err
}

// value returns what v is in JSON.
func value(v any) (out any) {
	if b, err := json.Marshal(v); err == nil {
		_ = json.Unmarshal(b, &out) // it was made here
	}
	if out == nil {
		return []any{}
	}
	return out
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	if len(b) > 600 {
		return string(b[:600]) + "…"
	}
	return string(b)
}
