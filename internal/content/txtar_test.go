package content_test

import (
	"os"
	"strings"
	"testing"
)

// An archive is a fixture in the txtar format: a comment, then files, each under a
// line "-- name --".
type archive struct {
	comment string
	files   []archiveFile
}

type archiveFile struct{ name, data string }

func readArchive(t *testing.T, path string) archive {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var a archive
	for line := range strings.Lines(string(raw)) {
		name, isMarker := strings.CutPrefix(strings.TrimRight(line, "\n"), "-- ")
		if name, closed := strings.CutSuffix(name, " --"); isMarker && closed {
			a.files = append(a.files, archiveFile{name: name})
			continue
		}
		if len(a.files) == 0 {
			a.comment += line
			continue
		}
		a.files[len(a.files)-1].data += line
	}
	return a
}

func (a archive) String() string {
	var b strings.Builder
	b.WriteString(a.comment)
	for _, f := range a.files {
		b.WriteString("-- " + f.name + " --\n" + f.data)
	}
	return b.String()
}
