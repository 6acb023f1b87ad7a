package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	columns = `slug, name, domain, category, icp, pricing, price, score::float8, verifiability::float8,
	           tagline, review_hash <> '', updated_at::text`
	// Qualified by the table: a bare score would be the cast column, which has no index.
	order = ` ORDER BY tools.score DESC NULLS LAST, slug`
)

type tool struct {
	Slug            string   `json:"slug"`
	Name            string   `json:"name"`
	Domain          string   `json:"domain"`
	Category        string   `json:"category"`
	ICP             string   `json:"icp"`
	Pricing         string   `json:"pricing"`
	Price           string   `json:"price"`
	Score           *float64 `json:"score"`
	Verifiability   *float64 `json:"verifiability"`
	Tagline         string   `json:"tagline"`
	CanonicalURL    string   `json:"canonical_url"`
	AvisURL         *string  `json:"avis_url"`
	AlternativesURL string   `json:"alternatives_url"`
	UpdatedAt       string   `json:"updated_at"`
}

type meta struct {
	Total int `json:"total"`
	Page  int `json:"page"`
	Limit int `json:"limit"`
	Pages int `json:"pages"`
}

type toolPage struct {
	Data []tool `json:"data"`
	Meta meta   `json:"meta"`
}

type server struct {
	pool *pgxpool.Pool
	// The patterns of the URLs, read once: they hardly ever change.
	toolURL, reviewURL, alternativesURL string
}

// prepare creates what the queries need: the indexes, the statistics that autovacuum would have gathered in
// time, and the URL patterns.
func (s *server) prepare(ctx context.Context) error {
	for _, sql := range []string{
		`CREATE INDEX IF NOT EXISTS peer_tools_score ON tools (score DESC NULLS LAST, slug)`,
		`CREATE INDEX IF NOT EXISTS peer_tools_category ON tools (category, score DESC NULLS LAST, slug)`,
		`VACUUM (ANALYZE) tools`,
	} {
		if _, err := s.pool.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	err := s.pool.QueryRow(ctx, `SELECT tool_url, review_url, alternatives_url FROM service`).
		Scan(&s.toolURL, &s.reviewURL, &s.alternativesURL)
	if err != nil {
		return fmt.Errorf("reading the URL patterns (is the catalog published?): %w", err)
	}
	return nil
}

// getTool serves GET /api/v1/tools/{slug}.
func (s *server) getTool(w http.ResponseWriter, r *http.Request) {
	rows, err := s.pool.Query(lasting(r), `SELECT `+columns+` FROM tools WHERE slug = $1`, r.PathValue("slug"))
	if err != nil {
		fail(w, err)
		return
	}
	t, err := pgx.CollectExactlyOneRow(rows, s.scanTool)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		refuse(w, http.StatusNotFound, "tool not found")
	case err != nil:
		fail(w, err)
	default:
		answer(w, http.StatusOK, t)
	}
}

// listTools serves GET /api/v1/tools.
func (s *server) listTools(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	page, err := positive(query.Get("page"), 1, 1_000_000)
	if err != nil {
		refuse(w, http.StatusBadRequest, "page: "+err.Error())
		return
	}
	limit, err := positive(query.Get("limit"), 50, 200)
	if err != nil {
		refuse(w, http.StatusBadRequest, "limit: "+err.Error())
		return
	}
	if sort := query.Get("sort"); sort != "" && sort != "score_desc" {
		refuse(w, http.StatusBadRequest, "sort: only score_desc is served here")
		return
	}
	p, err := s.readPage(lasting(r), query.Get("category"), page, limit)
	if err != nil {
		fail(w, err)
		return
	}
	answer(w, http.StatusOK, p)
}

// readPage reads a page of tools and their total. With a category it uses other SQL, so that each query gets a
// plan that fits it.
func (s *server) readPage(ctx context.Context, category string, page, limit int) (toolPage, error) {
	count := `SELECT count(*) FROM tools`
	list := `SELECT ` + columns + ` FROM tools` + order + ` LIMIT $1 OFFSET $2`
	var filter []any
	if category != "" {
		count = `SELECT count(*) FROM tools WHERE category = $1`
		list = `SELECT ` + columns + ` FROM tools WHERE category = $3` + order + ` LIMIT $1 OFFSET $2`
		filter = []any{category}
	}
	var both pgx.Batch // one round trip for both
	both.Queue(count, filter...)
	both.Queue(list, append([]any{limit, (page - 1) * limit}, filter...)...)
	results := s.pool.SendBatch(ctx, &both)
	defer func() { _ = results.Close() }() // reading has reported any error

	p := toolPage{Meta: meta{Page: page, Limit: limit}}
	if err := results.QueryRow().Scan(&p.Meta.Total); err != nil {
		return p, fmt.Errorf("counting: %w", err)
	}
	p.Meta.Pages = (p.Meta.Total + limit - 1) / limit
	rows, err := results.Query()
	if err != nil {
		return p, fmt.Errorf("listing: %w", err)
	}
	if p.Data, err = pgx.CollectRows(rows, s.scanTool); err != nil {
		return p, fmt.Errorf("listing: %w", err)
	}
	return p, nil
}

func (s *server) scanTool(row pgx.CollectableRow) (t tool, err error) {
	var reviewed bool
	err = row.Scan(&t.Slug, &t.Name, &t.Domain, &t.Category, &t.ICP, &t.Pricing, &t.Price, &t.Score, &t.Verifiability,
		&t.Tagline, &reviewed, &t.UpdatedAt)
	t.CanonicalURL = strings.ReplaceAll(s.toolURL, "{slug}", t.Slug)
	t.AlternativesURL = strings.ReplaceAll(s.alternativesURL, "{slug}", t.Slug)
	if reviewed {
		review := strings.ReplaceAll(s.reviewURL, "{slug}", t.Slug)
		t.AvisURL = &review
	}
	return t, err
}

// lasting returns the context for a request's queries, which outlives the client: pgx closes a connection whose
// query is cancelled, and every run of a benchmark ends with all clients leaving at once. The pool's
// statement_timeout bounds the queries instead.
func lasting(r *http.Request) context.Context { return context.WithoutCancel(r.Context()) }

func positive(s string, otherwise, most int) (int, error) {
	if s == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("%q is not an integer from 1 to %d", s, most)
	}
	return n, nil
}

func answer(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		log.Println("encoding:", err)
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func refuse(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]string{"error": message})
}

func fail(w http.ResponseWriter, err error) {
	log.Println(err)
	refuse(w, http.StatusInternalServerError, "internal error")
}
