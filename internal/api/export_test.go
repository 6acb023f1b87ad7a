package api

import (
	"maps"
	"slices"
)

// Paths lists the registered routes.
func (a *API) Paths() []string { return slices.Sorted(maps.Keys(a.operations())) }

// ContractYAML is openapi.yaml as it is embedded.
func ContractYAML() []byte { return openapiYAML }

// MinCompressed is the size from which bodies are compressed.
const MinCompressed = minCompressed
