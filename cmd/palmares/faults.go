package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/content"
)

// faults prints faults one per line, in the form editors turn into links.
func faults(w io.Writer, dir string, list []content.Fault) {
	for _, line := range faultLines(dir, list) {
		fmt.Fprintln(w, line)
	}
}

func faultLines(dir string, list []content.Fault) []string {
	dir = strings.TrimRight(dir, "/")
	lines := make([]string, len(list))
	for i, f := range list {
		lines[i] = fmt.Sprintf("%s/%s", dir, f)
	}
	return lines
}

// alikeShown is how many similar warnings fewer keeps; more are merged into one.
const alikeShown = 3

// mergeSimilar merges warnings that ask for the same thing: of more than alikeShown it keeps the first, which then
// says how many more there are.
func mergeSimilar(list []content.Fault) []content.Fault {
	// A message ends with what to do. That part is the same for similar warnings, whatever values precede it.
	alike := func(f content.Fault) string { return f.Message[strings.LastIndex(f.Message, ": ")+1:] }
	count := make(map[string]int)
	for _, f := range list {
		count[alike(f)]++
	}
	var kept []content.Fault
	told := make(map[string]bool)
	for _, f := range list {
		kind := alike(f)
		if n := count[kind] - 1; n >= alikeShown {
			if told[kind] {
				continue
			}
			told[kind] = true
			f.Message += fmt.Sprintf(" (and %d more like it; --all prints them)", n)
		}
		kept = append(kept, f)
	}
	return kept
}

// annotations prints faults as workflow commands. GitHub's runners read them from the log and show them beside
// the lines of a pull request.
func annotations(w io.Writer, dir string, list []content.Fault) {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, f := range list {
		kind := "error"
		if f.Warning {
			kind = "warning"
		}
		fmt.Fprintf(w, "::%s file=%s,line=%d,col=%d::%s\n",
			kind, property.Replace(fromRoot(dir, f.File)), f.Line, f.Column, data.Replace(f.Message))
	}
}

// fromRoot returns the path of a file in dir relative to the repository's root, in which the command runs.
func fromRoot(dir, file string) string { return path.Join(filepath.ToSlash(dir), file) }

// A codeQuality is a fault in the report that GitLab shows in merge requests.
type codeQuality struct {
	Description string              `json:"description"`
	CheckName   string              `json:"check_name"`
	Fingerprint string              `json:"fingerprint"`
	Severity    string              `json:"severity"`
	Location    codeQualityLocation `json:"location"`
}

type codeQualityLocation struct {
	Path  string           `json:"path"`
	Lines codeQualityLines `json:"lines"`
}

type codeQualityLines struct {
	Begin int `json:"begin"`
}

// codeQualities returns the Code Quality report. GitLab recognises a fault by its fingerprint, which therefore
// does not depend on the line: an edit above a fault does not make it a new one. Identical faults are told
// apart by a counter.
func codeQualities(dir string, list []content.Fault) []codeQuality {
	report := make([]codeQuality, len(list))
	seen := make(map[string]int)
	for i, f := range list {
		q := codeQuality{Description: f.Message, CheckName: "palmares-fault", Severity: "major"}
		if f.Warning {
			q.CheckName, q.Severity = "palmares-warning", "minor"
		}
		q.Location = codeQualityLocation{fromRoot(dir, f.File), codeQualityLines{f.Line}}
		same := strings.Join([]string{q.CheckName, q.Location.Path, q.Description}, "\x00")
		seen[same]++
		sum := sha256.Sum256([]byte(same + "\x00" + strconv.Itoa(seen[same])))
		q.Fingerprint = hex.EncodeToString(sum[:])
		report[i] = q
	}
	return report
}
