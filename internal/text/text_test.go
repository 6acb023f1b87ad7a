package text_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/text"
)

func TestText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of, line, lines, marked string
		isLine                  bool
	}{
		{"Marteau", "Marteau", "Marteau", "Marteau", true},
		{"L’Œuvre d’été\u00a0: 10 €", "L’Œuvre d’été : 10 €", "L’Œuvre d’été : 10 €", "L’Œuvre d’été : 10 €", true},
		{"e\u0301", "e\u0301", "e\u0301", "e\u0301", true}, // an accent is seen
		{"a\nb\r\nc\rd", "a b  c d", "a\nb\nc\nd", "a\ufffdb\ufffd\ufffdc\ufffdd", false},
		{"a\tb\u2028c\u0085d", "a b c d", "a b c d", "a\ufffdb\ufffdc\ufffdd", false},
		{"\x1b[31mrouge\x00\x7f", "[31mrouge", "[31mrouge", "\ufffd[31mrouge\ufffd\ufffd", false},
		{"\u202ea\u202c\u2066b\u2069", "ab", "ab", "\ufffda\ufffd\ufffdb\ufffd", false},
		{"\ufeffa\u200bb\u2060c\u00add", "abcd", "abcd", "\ufffda\ufffdb\ufffdc\ufffdd", false},
		{"a\u034fb\u3164c\ufe0fd\U000e0101e", "abcde", "abcde", "a\u034fb\u3164c\ufe0fd\U000e0101e", true},
		{"\u06a9\u200c\u06a9 \u200d", "\u06a9\u06a9 ", "\u06a9\u06a9 ", "\u06a9\u200c\u06a9 \u200d", true}, // joiners
		{"\U000e0041caché", "caché", "caché", "\ufffdcaché", false},
		{"\xff", "\ufffd", "\ufffd", "\ufffd", false},
	} {
		testkit.Equal(t, c.of+": line", text.Line(c.of), c.line)
		testkit.Equal(t, c.of+": lines", text.Lines(c.of), c.lines)
		testkit.Equal(t, c.of+": marked", text.Marked(c.of), c.marked)
		testkit.Equal(t, c.of+": is a line", text.IsLine(c.of), c.isLine)
	}
}
