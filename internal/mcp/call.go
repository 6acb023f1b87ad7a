package mcp

import (
	"context"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/changes"
)

// A call is what a tool answers from.
type call struct {
	*catalog.Snapshot
	ctx     context.Context //nolint:containedctx // a call lasts as long as its request
	changes *changes.Reader
	baseURL string
}
