package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/pocketbase/pocketbase/core"
)

const collection = "tools"

// importTools fills the collection with the tools of a node, replacing what was there.
func importTools(ctx context.Context, app core.App, node, key string) error {
	tools, err := fetchTools(ctx, node, key)
	if err != nil {
		return err
	}
	return app.RunInTransaction(func(tx core.App) error {
		if old, err := tx.FindCollectionByNameOrId(collection); err == nil {
			if err := tx.Delete(old); err != nil {
				return fmt.Errorf("removing the old collection: %w", err)
			}
		}
		c := newCollection()
		if err := tx.Save(c); err != nil {
			return fmt.Errorf("creating the collection: %w", err)
		}
		for _, t := range tools {
			record := core.NewRecord(c)
			record.Load(t)
			if err := tx.Save(record); err != nil {
				return fmt.Errorf("saving %v: %w", t["slug"], err)
			}
		}
		return nil
	})
}

// newCollection returns a collection with the fields of a tool. PocketBase's numbers cannot be null, so a tool
// without a score has 0.
func newCollection() *core.Collection {
	c := core.NewBaseCollection(collection)
	everybody := ""
	c.ListRule, c.ViewRule = &everybody, &everybody
	for _, name := range []string{"slug", "name", "domain", "category", "icp", "pricing", "price"} {
		c.Fields.Add(&core.TextField{Name: name, Required: true})
	}
	for _, name := range []string{"score", "verifiability"} {
		c.Fields.Add(&core.NumberField{Name: name})
	}
	for _, name := range []string{"tagline", "canonical_url", "avis_url", "alternatives_url", "updated_at"} {
		c.Fields.Add(&core.TextField{Name: name})
	}
	c.AddIndex("idx_tools_slug", true, "slug", "")
	c.AddIndex("idx_tools_score", false, "score", "")
	return c
}

// fetchTools reads all tools of a node, page by page. It returns an error if their number does not match the
// total.
func fetchTools(ctx context.Context, node, key string) ([]map[string]any, error) {
	client := &http.Client{Timeout: 10 * time.Second}
	var tools []map[string]any
	for number := 1; ; number++ {
		var page struct {
			Data []map[string]any `json:"data"`
			Meta struct {
				Total int `json:"total"`
				Pages int `json:"pages"`
			} `json:"meta"`
		}
		target := fmt.Sprintf("%s/api/v1/tools?limit=200&page=%d", strings.TrimSuffix(node, "/"), number)
		if err := get(ctx, client, target, key, &page); err != nil {
			return nil, err
		}
		tools = append(tools, page.Data...)
		if number < page.Meta.Pages {
			continue
		}
		if len(tools) != page.Meta.Total {
			return nil, fmt.Errorf("%d tools came of %d: was something published meanwhile?", len(tools), page.Meta.Total)
		}
		return tools, nil
	}
}

func get(ctx context.Context, client *http.Client, target, key string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return err
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", target, resp.Status)
	}
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		return fmt.Errorf("%s: %w", target, err)
	}
	return nil
}
