package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/account"
)

const classTools = 5000

// newField serves a catalog and stores the bodies that all other servers have to send.
func (s *stand) newField(ctx context.Context, developers int) (*field, error) {
	n, err := s.startNode(ctx, classTools)
	if err != nil {
		return nil, err
	}
	f := &field{
		stand: s, node: n, answers: filepath.Join(s.dir, "answers"),
		servers: map[string]*server{palmares: &n.server}, missing: make(map[string]error),
	}
	if f.paths, err = n.paths(ctx); err != nil {
		return nil, err
	}
	if err := os.Mkdir(f.answers, 0o755); err != nil {
		return nil, fmt.Errorf("making a directory: %w", err)
	}
	for _, path := range f.paths {
		a, err := get(ctx, n.url+path, n.proHeader())
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(f.answers, escaped(path)), a.body, 0o644); err != nil {
			return nil, fmt.Errorf("keeping an answer: %w", err)
		}
		f.etag = a.header.Get("ETag") // the list's, as it comes last
		fmt.Printf("%s: %d bytes\n", path, len(a.body))
	}
	if developers > 0 {
		fmt.Printf("making %d Developer accounts\n", developers)
		if f.keys, err = makeKeys(ctx, n.database, account.Developer, developers); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (n *node) proHeader() http.Header { return http.Header{"Authorization": {"Bearer " + n.pro}} }

// paths returns the paths of one tool, which is the first of the list, of the page about it, and of the list
// itself.
func (n *node) paths(ctx context.Context) (paths [3]string, err error) {
	const tools = "/api/v1/tools"
	body, err := fetch(ctx, n.url+tools, n.proHeader())
	if err != nil {
		return paths, err
	}
	var items struct {
		Data []struct {
			Slug string `json:"slug"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &items); err != nil || len(items.Data) == 0 {
		return paths, fmt.Errorf("%s has no tools: %w", tools, err)
	}
	paths[one], paths[toolPage], paths[list] = tools+"/"+items.Data[0].Slug, "/outils/"+items.Data[0].Slug, tools
	return paths, nil
}

// addresses writes a file of n addresses that no slice has had before.
func (s *stand) addresses(n int) (path string, err error) {
	var text strings.Builder
	for i := range n {
		at := s.blocks + i
		fmt.Fprintf(&text, "10.%d.%d.%d\n", at>>16&255, at>>8&255, at&255)
	}
	s.blocks += n
	if s.blocks >= 1<<24 {
		return "", fmt.Errorf("the run needs more than %d addresses: make it shorter", 1<<24)
	}
	path = filepath.Join(s.dir, "addresses-"+strconv.Itoa(s.blocks))
	return path, os.WriteFile(path, []byte(text.String()), 0o644)
}

// escaped returns the name of the file with the body of a path.
func escaped(path string) string { return url.PathEscape(path) }

// without returns the headers that do not begin with prefix.
func without(headers []string, prefix string) []string {
	return slices.DeleteFunc(slices.Clone(headers), func(h string) bool { return strings.HasPrefix(h, prefix) })
}
