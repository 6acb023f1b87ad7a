package api

import (
	"slices"
)

// Paths lists the registered routes.
func (a *API) Paths() []string {
	paths := make([]string, 0, len(a.router.all))
	for _, r := range a.router.all {
		paths = append(paths, r.pattern)
	}
	slices.Sort(paths)
	return paths
}

// ContractYAML is openapi.yaml as it is embedded.
func ContractYAML() []byte { return openapiYAML }

// MinCompressed is the size from which bodies are compressed.
const MinCompressed = minCompressed

// Held tells how many keys the keyring remembers, and how many that are none.
func (k *Keyring) Held() (known, unknown int) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return len(k.known), len(k.unknown)
}

// How keys that are none are remembered.
const (
	UnknownFor  = unknownFor
	MostUnknown = mostUnknown
	MostListed  = mostListed
)
