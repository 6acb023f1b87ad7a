package main

import (
	"io"
	"net/url"
	"path/filepath"
)

func (c counts) object() map[string]any {
	return map[string]any{"dependencies": c.all, "known": c.known, "ambiguous": c.ambiguous, "unknown": c.unknown()}
}

func writeJSON(w io.Writer, v verdict, _ bool) error {
	findings, several := []any{}, []any{}
	for _, f := range v.findings {
		var ignored any
		if f.ignored != nil {
			ignored = f.ignored
		}
		findings = append(findings, map[string]any{
			"kind": f.kind, "id": printable(f.id), "slug": f.row.Slug, "name": printable(f.row.Name),
			"version": printable(f.version), "detail": printable(f.detail), "file": printable(f.file), "line": f.line,
			"direct": f.direct, "ignored": ignored, "fails": f.fails, "successor": f.row.Successor,
			"fingerprint": f.fingerprint(),
		})
	}
	for _, f := range v.ambiguous {
		several = append(several, map[string]any{
			"id": printable(f.id), "detail": f.detail, "file": printable(f.file), "line": f.line,
		})
	}
	return encode(w, map[string]any{
		"catalogue": map[string]any{"day": v.catalogue.day, "cursor": v.catalogue.cursor}, "today": v.today,
		"direct": v.direct.object(), "transitive": v.transitive.object(), "accepted": v.accepted,
		"findings": findings, "ambiguous": several,
	})
}

// ruleTexts say what the rules of a SARIF report are about.
var ruleTexts = []struct{ id, text string }{
	{retired, "The tool is retired."},
	{ending, "The end of the tool is announced."},
	{dearer, "The tool has become dearer."},
	{lowScore, "The score of the tool is low."},
}

// writeSARIF writes SARIF 2.1.0. What is ignored is there, suppressed.
func writeSARIF(w io.Writer, v verdict, _ bool) error {
	type object = map[string]any
	rules, results := []object{}, []object{}
	for _, r := range ruleTexts {
		rules = append(rules, object{"id": r.id, "shortDescription": object{"text": r.text}})
	}
	for _, f := range v.findings {
		level := "note"
		if f.asked && (f.direct || v.all) {
			level = "error"
		}
		result := object{
			"ruleId": f.kind, "level": level, "message": object{"text": f.sentence()},
			"locations": []object{{"physicalLocation": object{
				"artifactLocation": object{"uri": fileURI(f.file)}, "region": object{"startLine": f.line},
			}}},
			"partialFingerprints": object{"palmaresAudit/v1": f.fingerprint()},
		}
		if f.ignored != nil {
			result["suppressions"] = []object{{"kind": "external", "justification": printable(f.ignored.Reason)}}
		}
		results = append(results, result)
	}
	return encode(w, object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{
			"tool": object{"driver": object{
				"name": "palmares-audit", "version": version, "rules": rules,
				"informationUri": "https://github.com/palmares-hq/palmares",
			}},
			"results": results,
		}},
	})
}

// fileURI returns the relative reference of a file, or its URI if its path is absolute.
func fileURI(file string) string {
	u := url.URL{Path: filepath.ToSlash(filepath.Clean(file))}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
	}
	return u.String()
}
