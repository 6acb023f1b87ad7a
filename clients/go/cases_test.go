package palmares_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	palmares "github.com/palmares-hq/palmares/clients/go"
)

// TestCases carries out the cases of clients/README.md, and reports the outcomes to the program that judges them.
func TestCases(t *testing.T) {
	path := os.Getenv("PALMARES_CASES")
	if path == "" {
		t.Skip("PALMARES_CASES names no cases: make clients runs them")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Cases []oneCase }
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for _, c := range all.Cases {
		t.Run(c.Name, func(t *testing.T) {
			if reasons := c.judged(t, c.carriedOut(context.Background())); reasons != "" {
				t.Error(reasons)
			}
		})
	}
}

type clientOf struct {
	URL              *string
	Key              string
	Store, Directory string
	Retries          *int
	Budget           float64
}

type oneCase struct {
	Name, URL, Judge string
	Client           clientOf
	Steps            []struct {
		Call   string
		With   map[string]any
		Take   int
		Client *clientOf
	}
}

// outcome is what came of a step, in the names of clients/README.md.
type outcome map[string]any

func (c oneCase) carriedOut(ctx context.Context) []outcome {
	outcomes := []outcome{}
	client, err := c.Client.made(c.URL)
	for _, s := range c.Steps {
		used, failed := client, err
		if s.Client != nil {
			used, failed = s.Client.made(c.URL)
		}
		o := outcome{}
		call, known := calls[s.Call]
		switch {
		case failed != nil:
			o["error"] = errorOf(failed)
		case !known:
			o["error"] = "this runner does not know " + s.Call
		default:
			with, err := json.Marshal(filledIn(s.With, outcomes))
			if err == nil {
				err = call(ctx, used, arguments(with), s.Take, o)
			}
			if err != nil {
				o["error"] = errorOf(err)
			}
		}
		outcomes = append(outcomes, o)
	}
	return outcomes
}

func (o clientOf) made(url string) (*palmares.Client, error) {
	if o.URL != nil {
		url = *o.URL
	}
	options := palmares.Options{Key: o.Key, WaitBudget: time.Duration(o.Budget * float64(time.Second))}
	if o.Retries != nil {
		options.Retries = *o.Retries
		if options.Retries == 0 {
			options.Retries = -1
		}
	}
	switch o.Store {
	case "memory":
		options.Store = palmares.Memory(0)
	case "directory":
		options.Store = palmares.Directory(o.Directory)
	}
	return palmares.New(url, options)
}

// judged reports outcomes, and returns what is wrong with them.
func (c oneCase) judged(t *testing.T, outcomes []outcome) string {
	body, err := json.Marshal(map[string]any{"steps": outcomes})
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Post(c.Judge, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	reasons, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode == http.StatusNoContent {
		return ""
	}
	return string(reasons)
}

// filledIn returns v with $0.next and the like replaced by values of earlier outcomes.
func filledIn(v any, outcomes []outcome) any {
	switch v := v.(type) {
	case string:
		n, path, found := strings.Cut(strings.TrimPrefix(v, "$"), ".")
		i, err := strconv.Atoi(n)
		if !found || err != nil || !strings.HasPrefix(v, "$") || i >= len(outcomes) {
			return v
		}
		return at(plain(outcomes[i]), strings.Split(path, "."))
	case map[string]any:
		filled := map[string]any{}
		for k, one := range v {
			filled[k] = filledIn(one, outcomes)
		}
		return filled
	}
	return v
}

func at(v any, path []string) any {
	for _, step := range path {
		switch one := v.(type) {
		case map[string]any:
			v = one[step]
		case []any:
			if i, err := strconv.Atoi(step); err == nil && i < len(one) {
				v = one[i]
			}
		}
	}
	return v
}

func plain(v any) (out any) {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		panic(err)
	}
	return out
}

func responseOf(r palmares.Response) outcome {
	return outcome{
		"status": r.Status, "request_id": r.RequestID, "cursor": r.Cursor, "updated_at": r.UpdatedAt, "attribution": r.Attribution,
		"from_store": r.FromStore, "quota": quotaOf(r.Quota),
	}
}

func quotaOf(q *palmares.Quota) any {
	if q == nil {
		return nil
	}
	return outcome{"tier": q.Tier, "remaining": q.Remaining, "reset": q.Reset}
}

func errorOf(err error) outcome {
	var refused *palmares.Error
	var network *palmares.NetworkError
	o := outcome{"kind": "argument", "message": err.Error()}
	switch {
	case errors.As(err, &refused):
		o = outcome{
			"kind": "api", "status": refused.Status, "message": refused.Message, "quota": quotaOf(refused.Quota),
			"code": orNull(refused.Code), "parameter": orNull(refused.Parameter), "successor": orNull(refused.Successor),
			"request_id": orNull(refused.RequestID), "retry_after": orNull(refused.RetryAfter.Seconds()),
		}
	case errors.As(err, &network):
		o["kind"] = "network"
	case errors.Is(err, palmares.ErrShifted):
		o["kind"] = "shifted"
	case errors.Is(err, palmares.ErrWebhook):
		o["kind"] = "webhook"
	}
	return o
}

func orNull[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

// arguments are those of a call, in JSON.
type arguments []byte

// in reads arguments into the parameters of an operation, which bear the same names.
func in[P any](a arguments) (p P, err error) {
	known := json.NewDecoder(bytes.NewReader(a))
	known.DisallowUnknownFields()
	return p, known.Decode(&p)
}

type call func(ctx context.Context, c *palmares.Client, a arguments, take int, o outcome) error

var calls = map[string]call{
	"listTools":          listed((*palmares.Client).ListTools),
	"listComparisons":    listed((*palmares.Client).ListComparisons),
	"listPrices":         listed((*palmares.Client).ListPrices),
	"listRetiredTools":   listed((*palmares.Client).ListRetiredTools),
	"listEndings":        listed((*palmares.Client).ListEndings),
	"listToolsOfDay":     listed((*palmares.Client).ListToolsOfDay),
	"getTool":            ofSlug((*palmares.Client).GetTool),
	"getComparison":      ofSlug((*palmares.Client).GetComparison),
	"getPrice":           ofSlug((*palmares.Client).GetPrice),
	"getRetiredTool":     ofSlug((*palmares.Client).GetRetiredTool),
	"getFacts":           ofSlug((*palmares.Client).GetFacts),
	"getEmbeddings":      ofSlug((*palmares.Client).GetEmbeddings),
	"getFactStats":       alone((*palmares.Client).GetFactStats),
	"listCategories":     alone((*palmares.Client).ListCategories),
	"getStats":           alone((*palmares.Client).GetStats),
	"listEmbeddings":     alone((*palmares.Client).ListEmbeddings),
	"getUsage":           alone((*palmares.Client).GetUsage),
	"getDataPackage":     alone((*palmares.Client).GetDataPackage),
	"getIndex":           alone((*palmares.Client).GetIndex),
	"getDescription":     alone((*palmares.Client).GetDescription),
	"listFindings":       asked((*palmares.Client).ListFindings),
	"getBill":            asked((*palmares.Client).GetBill),
	"compareTools":       asked((*palmares.Client).CompareTools),
	"getHistory":         getHistory,
	"listChanges":        listChanges,
	"downloadFile":       downloadFile,
	"downloadEmbeddings": downloadEmbeddings,
	"syncEmbeddings":     syncEmbeddings,
	"verifyWebhook":      verifyWebhook,
}

func listed[P, T any](method func(*palmares.Client, context.Context, P) palmares.Pages[T]) call {
	return func(ctx context.Context, c *palmares.Client, a arguments, take int, o outcome) error {
		params, err := in[P](a)
		if err != nil {
			return err
		}
		items := []T{}
		defer func() { o["items"] = items }()
		pages := method(c, ctx, params)
		if take > 0 {
			for item, err := range pages.Items() {
				if err != nil {
					return err
				}
				if items = append(items, item); len(items) == take {
					return nil
				}
			}
			return nil
		}
		for page, err := range pages {
			if err != nil {
				return err
			}
			items = append(items, page.Data...)
			o["total"], o["response"] = page.Meta.Total, responseOf(page.Response)
		}
		return nil
	}
}

func ofSlug[T any](method func(*palmares.Client, context.Context, string, ...palmares.CallOption) (*T, error)) call {
	return func(ctx context.Context, c *palmares.Client, a arguments, _ int, o outcome) error {
		with, err := in[struct{ Slug string }](a)
		if err != nil {
			return err
		}
		return single(o, func(r palmares.CallOption) (*T, error) { return method(c, ctx, with.Slug, r) })
	}
}

func alone[T any](method func(*palmares.Client, context.Context, ...palmares.CallOption) (T, error)) call {
	return func(ctx context.Context, c *palmares.Client, _ arguments, _ int, o outcome) error {
		return single(o, func(r palmares.CallOption) (T, error) { return method(c, ctx, r) })
	}
}

func asked[P, T any](method func(*palmares.Client, context.Context, P, ...palmares.CallOption) (T, error)) call {
	return func(ctx context.Context, c *palmares.Client, a arguments, _ int, o outcome) error {
		params, err := in[P](a)
		if err != nil {
			return err
		}
		return single(o, func(r palmares.CallOption) (T, error) { return method(c, ctx, params, r) })
	}
}

func single[T any](o outcome, ask func(palmares.CallOption) (T, error)) error {
	var r palmares.Response
	v, err := ask(palmares.Into(&r))
	if err == nil {
		o["data"], o["response"] = v, responseOf(r)
	}
	return err
}

func getHistory(ctx context.Context, c *palmares.Client, a arguments, _ int, o outcome) error {
	with, err := in[struct {
		Slug string
		palmares.GetHistoryParams
	}](a)
	if err != nil {
		return err
	}
	return single(o, func(r palmares.CallOption) (*palmares.History, error) {
		return c.GetHistory(ctx, with.Slug, with.GetHistoryParams, r)
	})
}

func listChanges(ctx context.Context, c *palmares.Client, a arguments, take int, o outcome) error {
	params, err := in[palmares.ListChangesParams](a)
	if err != nil {
		return err
	}
	items := []palmares.Change{}
	defer func() { o["items"] = items }()
	if take > 0 {
		for change, err := range c.ListChanges(ctx, params).Items() {
			if err != nil {
				return err
			}
			if items = append(items, change); len(items) == take {
				return nil
			}
		}
		return nil
	}
	for page, err := range c.ListChanges(ctx, params) {
		if err != nil {
			return err
		}
		items = append(items, page.Data...)
		o["next"], o["response"] = page.Next, responseOf(page.Response)
	}
	return nil
}

func downloadFile(ctx context.Context, c *palmares.Client, a arguments, _ int, o outcome) error {
	with, err := in[struct{ File string }](a)
	if err != nil {
		return err
	}
	file, err := c.DownloadFile(ctx, with.File)
	if err != nil {
		return err
	}
	if strings.HasSuffix(with.File, ".jsonl") {
		return rows(file, o)
	}
	defer file.Close()
	text, err := io.ReadAll(file)
	o["text"], o["response"] = string(text), responseOf(file.Response)
	return err
}

func downloadEmbeddings(ctx context.Context, c *palmares.Client, _ arguments, _ int, o outcome) error {
	file, err := c.DownloadEmbeddings(ctx)
	if err != nil {
		return err
	}
	return rows(file, o)
}

func rows(file *palmares.Download, o outcome) error {
	items := []map[string]any{}
	defer func() { o["items"], o["response"] = items, responseOf(file.Response) }()
	for row, err := range palmares.Rows[map[string]any](file) {
		if err != nil {
			return err
		}
		items = append(items, row)
	}
	return nil
}

func syncEmbeddings(ctx context.Context, c *palmares.Client, a arguments, _ int, o outcome) error {
	with, err := in[struct{ Have map[string]string }](a)
	if err != nil {
		return err
	}
	items, removed := []*palmares.EmbeddingsDocument{}, []string{}
	defer func() { o["items"], o["removed"] = items, removed }()
	for change, err := range c.SyncEmbeddings(ctx, with.Have) {
		switch {
		case err != nil:
			return err
		case change.Document == nil:
			removed = append(removed, change.Slug)
		default:
			items = append(items, change.Document)
		}
	}
	return nil
}

func verifyWebhook(_ context.Context, _ *palmares.Client, a arguments, _ int, o outcome) error {
	with, err := in[struct {
		Secrets []string
		Headers map[string]string
		Body    string
	}](a)
	if err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	h := http.Header{}
	for k, v := range with.Headers {
		h.Set(k, v)
	}
	event, err := palmares.VerifyWebhook(h, []byte(with.Body), with.Secrets...)
	if err == nil {
		o["data"] = event
	}
	return err
}
