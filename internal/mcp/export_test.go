package mcp

// The limits of a client's messages.
const (
	AtOnce      = atOnce
	FreeAMinute = freeAMinute
)
