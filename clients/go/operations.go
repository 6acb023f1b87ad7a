package palmares

import (
	"context"
	"encoding/json"
	"net/url"
)

// ListTools returns the active tools, page by page.
func (c *Client) ListTools(ctx context.Context, params ListToolsParams) Pages[ToolItem] {
	return list(ctx, c, "/api/v1/tools", params, func(t ToolItem) string { return t.Slug })
}

// ListComparisons returns the published comparisons, page by page.
func (c *Client) ListComparisons(ctx context.Context, params ListComparisonsParams) Pages[ComparisonItem] {
	return list(ctx, c, "/api/v1/comparatifs", params, func(t ComparisonItem) string { return t.Slug })
}

// ListPrices returns the prices of today, page by page.
func (c *Client) ListPrices(ctx context.Context, params ListPricesParams) Pages[PriceItem] {
	return list(ctx, c, "/api/v1/pricing", params, func(t PriceItem) string { return t.Slug })
}

// ListRetiredTools returns the tools that have left the catalogue, page by page.
func (c *Client) ListRetiredTools(ctx context.Context, params ListRetiredToolsParams) Pages[RetiredTool] {
	return list(ctx, c, "/api/v1/cimetiere", params, func(t RetiredTool) string { return t.Slug })
}

// ListToolsOfDay returns the tools that were in the catalogue on a day, as they were then, page by page.
func (c *Client) ListToolsOfDay(ctx context.Context, params ListToolsOfDayParams) Pages[ToolOfDay] {
	return list(ctx, c, "/api/v1/history", params, func(t ToolOfDay) string { return t.Slug })
}

// ListEndings returns the tools that will end, page by page.
func (c *Client) ListEndings(ctx context.Context, params ListEndingsParams) Pages[EndingItem] {
	return list(ctx, c, "/api/v1/endings", params, func(t EndingItem) string { return t.Slug })
}

// GetTool returns an active tool. For a retired one, the *Error has CodeRetired and, if there is one, the Successor.
func (c *Client) GetTool(ctx context.Context, slug string, o ...CallOption) (*ToolItem, error) {
	return one[ToolItem](ctx, c, item("/api/v1/tools/", slug), nil, o)
}

// GetComparison returns a comparison.
func (c *Client) GetComparison(ctx context.Context, slug string, o ...CallOption) (*Comparison, error) {
	return one[Comparison](ctx, c, item("/api/v1/comparatifs/", slug), nil, o)
}

// GetPrice returns the price of a tool, with its history.
func (c *Client) GetPrice(ctx context.Context, slug string, o ...CallOption) (*Price, error) {
	return one[Price](ctx, c, item("/api/v1/pricing/", slug), nil, o)
}

// GetRetiredTool returns a retired tool.
func (c *Client) GetRetiredTool(ctx context.Context, slug string, o ...CallOption) (*RetiredDetail, error) {
	return one[RetiredDetail](ctx, c, item("/api/v1/cimetiere/", slug), nil, o)
}

// GetHistory returns what was true of a tool, active or retired, and when.
func (c *Client) GetHistory(ctx context.Context, slug string, params GetHistoryParams, o ...CallOption) (*History, error) {
	return one[History](ctx, c, item("/api/v1/history/", slug), queryOf(params), o)
}

// GetFacts returns where the values of a tool come from.
func (c *Client) GetFacts(ctx context.Context, slug string, o ...CallOption) (*Facts, error) {
	return one[Facts](ctx, c, item("/api/v1/facts/", slug), nil, o)
}

// GetFactStats returns how well the catalogue is sourced.
func (c *Client) GetFactStats(ctx context.Context, o ...CallOption) (*FactStatsList, error) {
	return one[FactStatsList](ctx, c, "/api/v1/facts", nil, o)
}

// ListFindings returns, for tools that you use, the reasons to look at them again.
func (c *Client) ListFindings(ctx context.Context, params ListFindingsParams, o ...CallOption) (*FindingList, error) {
	return one[FindingList](ctx, c, "/api/v1/findings", queryOf(params), o)
}

// GetBill returns what tools cost together, month by month.
func (c *Client) GetBill(ctx context.Context, params GetBillParams, o ...CallOption) (*Bill, error) {
	return one[Bill](ctx, c, "/api/v1/bill", queryOf(params), o)
}

// CompareTools returns tools side by side.
func (c *Client) CompareTools(ctx context.Context, params CompareToolsParams, o ...CallOption) (*SideBySide, error) {
	return one[SideBySide](ctx, c, "/api/v1/compare", queryOf(params), o)
}

// ListCategories returns all categories.
func (c *Client) ListCategories(ctx context.Context, o ...CallOption) (*CategoryList, error) {
	return one[CategoryList](ctx, c, "/api/v1/categories", nil, o)
}

// GetStats returns the catalogue in numbers.
func (c *Client) GetStats(ctx context.Context, o ...CallOption) (*Stats, error) {
	return one[Stats](ctx, c, "/api/v1/stats", nil, o)
}

// ListEmbeddings returns the tools that have chunks, without them. It needs a key.
func (c *Client) ListEmbeddings(ctx context.Context, o ...CallOption) (*EmbeddingsList, error) {
	return one[EmbeddingsList](ctx, c, "/api/embeddings", nil, o)
}

// GetEmbeddings returns the chunks of a tool. It needs a key.
func (c *Client) GetEmbeddings(ctx context.Context, slug string, o ...CallOption) (*EmbeddingsDocument, error) {
	return one[EmbeddingsDocument](ctx, c, item("/api/embeddings/", slug), nil, o)
}

// GetUsage returns the usage of the account that the key belongs to. It is free.
func (c *Client) GetUsage(ctx context.Context, o ...CallOption) (*Usage, error) {
	return one[Usage](ctx, c, "/api/v1/usage", nil, o)
}

// GetDataPackage returns which downloads there are, and their columns.
func (c *Client) GetDataPackage(ctx context.Context, o ...CallOption) (*DataPackage, error) {
	return one[DataPackage](ctx, c, "/api/v1/export/datapackage.json", nil, o)
}

// GetIndex returns the operations of the service. It is free.
func (c *Client) GetIndex(ctx context.Context, o ...CallOption) (*Index, error) {
	return one[Index](ctx, c, "/api/v1", nil, o)
}

// GetDescription returns the OpenAPI description of the service. It is free.
func (c *Client) GetDescription(ctx context.Context, o ...CallOption) (json.RawMessage, error) {
	v, err := one[json.RawMessage](ctx, c, "/api/v1/openapi.json", nil, o)
	if err != nil {
		return nil, err
	}
	return *v, nil
}

// item returns the path of one item: a slug is one segment, whatever is in it.
func item(path, slug string) string { return path + url.PathEscape(slug) }

func one[T any](ctx context.Context, c *Client, path string, query url.Values, o []CallOption) (*T, error) {
	v := new(T)
	if _, err := c.get(ctx, path, query, v, o); err != nil {
		return nil, err
	}
	return v, nil
}
