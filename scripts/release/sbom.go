package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
)

// A document is a CycloneDX 1.6 bill of materials, with the fields that we fill in. It has no time, so that the
// same binary has the same bill.
type document struct {
	Schema       string       `json:"$schema"`
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Ref      string    `json:"bom-ref"`
	Type     string    `json:"type"`
	Name     string    `json:"name"`
	Version  string    `json:"version,omitempty"`
	Scope    string    `json:"scope,omitempty"`
	Hashes   []hash    `json:"hashes,omitempty"`
	Licences []licence `json:"licenses,omitempty"`
	PURL     string    `json:"purl,omitempty"`
}

type licence struct {
	Licence licenceID `json:"license"`
}

type licenceID struct {
	ID string `json:"id"` // an SPDX identifier
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

// bill returns the bill of materials of a binary: its modules, the standard library, and files that are
// neither, each with its licences. licences is keyed by the names used in the notices.
func bill(info *debug.BuildInfo, version string, sum [sha256.Size]byte, licences map[string][]licence, files []component) ([]byte, error) {
	self := library(info.Main.Path, version)
	self.Type, self.Scope = "application", ""
	self.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum[:])}}
	self.Licences = []licence{{licenceID{"Apache-2.0"}}}
	standard := library("stdlib", strings.TrimPrefix(info.GoVersion, "go"))
	standard.Licences = licences[standardLibrary]
	d := document{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", Spec: "1.6", Version: 1,
		Serial: "urn:uuid:" + uuid(sum), Metadata: metadata{self},
		Components: []component{standard},
	}
	for _, m := range info.Deps {
		name := m.Path + " " + m.Version // as go list names it, replaced or not
		if m.Replace != nil {
			m = m.Replace
		}
		c := library(m.Path, m.Version)
		h1, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
		if err != nil || len(h1) != sha256.Size {
			return nil, fmt.Errorf("%s has the checksum %q, which is none of go.sum's", m.Path, m.Sum)
		}
		c.Hashes = []hash{{"SHA-256", hex.EncodeToString(h1)}}
		c.Licences = licences[name]
		d.Components = append(d.Components, c)
	}
	d.Components = append(d.Components, files...)
	for _, c := range d.Components {
		if len(c.Licences) == 0 {
			return nil, fmt.Errorf("%s has no licence", c.Name)
		}
	}
	refs := make([]string, len(d.Components))
	for i, c := range d.Components {
		refs[i] = c.Ref
	}
	d.Dependencies = []dependency{{self.Ref, refs}}
	b, err := json.MarshalIndent(d, "", "  ")
	return append(b, '\n'), err
}

func library(path, version string) component {
	purl := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return component{Ref: purl, Type: "library", Name: path, Version: version, Scope: "required", PURL: purl}
}

// uuid returns the sum as a UUID of version 8, whose content is free to choose.
func uuid(sum [sha256.Size]byte) string {
	sum[6] = sum[6]&0x0f | 0x80
	sum[8] = sum[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
