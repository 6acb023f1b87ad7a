package mcp

import (
	"net/url"
	"slices"
	"strings"
)

// Path is where messages are sent.
const Path = "/mcp"

// ServerName is the name of the server: its host in reverse, as registries of servers want it.
func ServerName(baseURL string) string {
	labels := strings.Split(hostOf(baseURL), ".")
	slices.Reverse(labels)
	return strings.ReplaceAll(strings.Join(labels, "."), ":", "-") + "/catalog" // an IPv6 address has colons
}

func hostOf(baseURL string) string {
	if u, err := url.Parse(baseURL); err == nil && u.Hostname() != "" {
		return u.Hostname()
	}
	return "localhost"
}
