package catalog

// The functions below fix the wire format of every item: French names, in the
// order of the reference documentation.

func encodeTool(s Service, t *Tool) []byte {
	o := newObject()
	o.string("slug", t.Slug)
	o.string("name", t.Name)
	o.string("domain", t.Domain)
	o.string("category", t.Category)
	o.string("icp", string(t.ICP))
	o.string("pricing", string(t.Pricing))
	o.string("price", t.Price)
	o.measure("score", t.Score)
	o.measure("verifiability", t.Verifiability)
	o.string("tagline", t.Tagline)
	o.string("canonical_url", s.ToolURL(t.Slug))
	o.nullable("avis_url", reviewURL(s, t))
	o.string("alternatives_url", expand(s.Site.Alternatives, t.Slug))
	o.string("updated_at", string(t.UpdatedAt))
	return o.close()
}

func reviewURL(s Service, t *Tool) string {
	if !t.Review.Exists() {
		return ""
	}
	return s.ReviewURL(t.Slug)
}

func encodePriceItem(t *Tool) []byte {
	o := newObject()
	o.string("slug", t.Slug)
	o.string("name", t.Name)
	o.string("pricing", string(t.Pricing))
	o.string("price", t.Price)
	return o.close()
}

func encodePrice(t *Tool) []byte {
	o := newObject()
	o.string("slug", t.Slug)
	o.string("current_pricing", string(t.Pricing))
	o.string("current_price", t.Price)
	o.raw("price_history", appendArray(nil, t.History, func(b []byte, c PriceChange) []byte {
		e := newObject()
		e.string("changed_at", string(c.ChangedAt))
		e.string("old_pricing", string(c.OldPricing))
		e.string("old_price", c.OldPrice)
		e.string("new_pricing", string(c.NewPricing))
		e.string("new_price", c.NewPrice)
		return append(b, e.close()...)
	}))
	return o.close()
}

// A ComparisonWithTools is a comparison with the two tools it names.
type ComparisonWithTools struct {
	*Comparison
	A, B *Tool
}

// Winning returns the winner.
func (m ComparisonWithTools) Winning() *Tool {
	if m.Winner == m.ToolB {
		return m.B
	}
	return m.A
}

func encodeComparisonItem(s Service, m ComparisonWithTools) []byte {
	o := newObject()
	o.string("slug", m.Slug)
	o.string("title", m.Title)
	o.string("winner", m.Winning().Name)
	o.string("updated_at", string(m.UpdatedAt))
	o.string("canonical_url", s.ComparisonURL(m.Slug))
	return o.close()
}

func encodeComparison(m ComparisonWithTools) []byte {
	o := newObject()
	o.string("slug", m.Slug)
	o.raw("tool_a", encodeContender(m.A))
	o.raw("tool_b", encodeContender(m.B))
	o.string("winner", m.Winning().Name)
	o.string("winner_note", m.Note)
	return o.close()
}

func encodeContender(t *Tool) []byte {
	o := newObject()
	o.string("name", t.Name)
	o.measure("score", t.Score)
	return o.close()
}

// encodeLoggedComparison returns a comparison as events show it.
func encodeLoggedComparison(s Service, m ComparisonWithTools) []byte {
	o := newObject()
	o.string("slug", m.Slug)
	o.string("title", m.Title)
	o.raw("tool_a", encodeCompared(m.A))
	o.raw("tool_b", encodeCompared(m.B))
	o.string("winner", m.Winning().Name)
	o.string("winner_note", m.Note)
	o.string("updated_at", string(m.UpdatedAt))
	o.string("canonical_url", s.ComparisonURL(m.Slug))
	return o.close()
}

// encodeCompared is encodeContender with the slug: followers of the catalog must know which tool it
// is, and names are not unique.
func encodeCompared(t *Tool) []byte {
	o := newObject()
	o.string("slug", t.Slug)
	o.string("name", t.Name)
	o.measure("score", t.Score)
	return o.close()
}

func encodeRetired(r *Retired) []byte {
	o := newObject()
	o.string("slug", r.Slug)
	o.string("name", r.Name)
	o.string("reason", string(r.Reason))
	o.string("retired_at", string(r.RetiredAt))
	o.string("note", r.Note)
	return o.close()
}

// encodeEnding returns the announced end of a tool, or nil.
func encodeEnding(t *Tool) []byte {
	if t == nil || !t.Ending.Announced() {
		return nil
	}
	o := newObject()
	o.string("slug", t.Slug)
	o.string("name", t.Name)
	o.string("ends_at", string(t.Ending.At))
	o.nullable("source", t.Ending.Source)
	o.nullable("successor", t.Ending.Successor)
	return o.close()
}

// encodeNextPrice returns the announced price of a tool, or nil.
func encodeNextPrice(t *Tool) []byte {
	if t == nil || !t.Next.Announced() {
		return nil
	}
	o := newObject()
	o.string("slug", t.Slug)
	o.string("name", t.Name)
	o.string("pricing", string(t.Next.Pricing))
	o.string("price", t.Next.Price)
	o.string("from", string(t.Next.From))
	o.string("source", t.Next.Source)
	return o.close()
}

// encodeEmbeddingsList returns the tools of the embeddings set with their hashes, so that clients
// see which vectors are outdated.
func encodeEmbeddingsList(s Service, set []*Tool) []byte {
	o := newObject()
	o.raw("data", appendArray(nil, set, func(b []byte, t *Tool) []byte {
		e := newObject()
		e.string("slug", t.Slug)
		e.string("name", t.Name)
		e.string("hash", t.Review.Hash)
		e.string("updated_at", string(t.UpdatedAt))
		e.int("chunk_count", len(t.Review.Sections))
		e.string("canonical_url", reviewURL(s, t))
		return append(b, e.close()...)
	}))
	return o.close()
}

// encodeEmbeddings returns the chunks of a tool; if hashed, each with the hash of its text.
func encodeEmbeddings(s Service, t *Tool, hashed bool) []byte {
	review := reviewURL(s, t)
	position := -1
	chunks := appendArray(nil, t.Review.Sections, func(b []byte, sec Section) []byte {
		position++
		m := newObject()
		m.string("slug", t.Slug)
		m.string("section", sec.ID)
		m.int("position", position)
		m.string("canonical_url", review+"#"+sec.ID)
		m.string("tool", t.Name)
		m.string("category", t.Category)
		m.measure("score", t.Score)
		m.measure("verifiability", t.Verifiability)
		m.string("updated_at", string(t.UpdatedAt))
		c := newObject()
		c.string("id", sec.ID)
		text := ChunkText(t.Name, sec)
		c.string("text", text)
		if hashed {
			c.string("hash", hashText(text))
		}
		c.raw("metadata", m.close())
		return append(b, c.close()...)
	})
	o := newObject()
	o.string("slug", t.Slug)
	o.string("name", t.Name)
	o.string("canonical_url", review)
	o.string("hash", t.Review.Hash)
	o.string("updated_at", string(t.UpdatedAt))
	o.int("chunk_count", len(t.Review.Sections))
	o.raw("chunks", chunks)
	return o.close()
}
