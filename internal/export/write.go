package export

import (
	"fmt"
	"io"
	"slices"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// blockSize is how much is written at a time. To compress it takes about as long as work between two pauses may.
const blockSize = 32 << 10

// Write writes a file of the snapshot, and tells how many rows it has.
func Write(w io.Writer, f File, s *catalog.Snapshot, t *throttle.Throttle) (rows int, err error) {
	table, found := TableOf(f.Table)
	if f == Embeddings {
		table, found = chunks, true
	}
	if !found {
		return 0, fmt.Errorf("there is no file %s", f.Name())
	}
	block := make([]byte, 0, blockSize+4<<10)
	flush := func() error {
		_, err := w.Write(block)
		block = block[:0]
		t.Pause()
		return err
	}
	var cells []cell
	appendRow := func(b []byte, slug string) []byte {
		rows++
		return append(table.line(b, s, slug), '\n')
	}
	if f.Format != JSONL {
		d := plainCSV
		if f.Format == French {
			d = frenchCSV
		}
		block = d.header(block, table.Columns)
		appendRow = func(b []byte, slug string) []byte {
			cells = table.cells(cells[:0], s, slug)
			for row := range slices.Chunk(cells, len(table.Columns)) {
				b = d.row(b, row)
				rows++
			}
			return b
		}
	}
	for _, slug := range table.slugs(s, t) {
		if block = appendRow(block, slug); len(block) >= blockSize {
			if err := flush(); err != nil {
				return 0, err
			}
		}
	}
	return rows, flush()
}
