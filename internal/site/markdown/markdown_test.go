package markdown_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/generate"
	"github.com/palmares-hq/palmares/internal/site/markdown"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestRender(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"": "",
		"Un *avis* **net**,\nsur ~~deux~~ `2 < 3`  \nlignes.": `<p id="resume">Un <em>avis</em> <strong>net</strong>,
sur <del>deux</del> <code>2 &lt; 3</code><br>
lignes.</p>`,
		"L’outil « tient »... -- et \"c'est\" &eacute;crit \\*ainsi\\*": `<p id="resume">L’outil « tient »... -- et &#34;c&#39;est&#34; écrit *ainsi*</p>`,
		"---\n\n## Prix & délais\n\nA": `<hr>
<h2 id="prix-delais">Prix &amp; délais</h2>
<p>A</p>`,
		"# A\n\n## B\n\n### C\n\n###### D\n\n> ## E": `<h2 id="resume">A</h2>
<h2 id="b">B</h2>
<h3>C</h3>
<h6>D</h6>
<blockquote><h2>E</h2>
</blockquote>`,
		"## A\n\na\n\n## a\n\nb\n\n## ?\n\nc": `<h2 id="a">A</h2>
<p>a</p>
<h2>a</h2>
<p>b</p>
<h2>?</h2>
<p>c</p>`,
		"- a\n- b\n\n3. c\n\n   d": `<ul id="resume"><li>a</li>
<li>b</li>
</ul>
<ol start="3"><li><p>c</p>
<p>d</p>
</li>
</ol>`,
		"| A | B |\n|---|--:|\n| a | *b* |\n| c |": `<table id="resume"><thead><tr><th scope="col">A</th><th scope="col" class="right">B</th></tr></thead>
<tbody>
<tr><td>a</td><td class="right"><em>b</em></td></tr>
<tr><td>c</td><td></td></tr>
</tbody></table>`,
		"```js onclick=x\n<b> &amp;\n```":  "<pre id=\"resume\"><code>&lt;b&gt; &amp;amp;\n</code></pre>",
		"a <b onclick=x>c</b>\n\n<i>\nd\n": "<p id=\"resume\">a &lt;b onclick=x&gt;c&lt;/b&gt;</p>\n<p>&lt;i&gt;\nd\n</p>",
		"## A {#b .c onclick=x}\n\na":      "<h2 id=\"a-b-c-onclick-x\">A {#b .c onclick=x}</h2>\n<p>a</p>",
	} {
		testkit.Equal(t, source, strings.TrimSuffix(string(markdown.Render(source, nil).HTML), "\n"), want)
	}
}

func TestRender_Links(t *testing.T) {
	t.Parallel()
	const rel = ` rel="nofollow noopener"`
	for source, want := range map[string]string{
		"[a](https://x.example/?b=1&c=\"d\")":       `<a href="https://x.example/?b=1&amp;c=&#34;d&#34;"` + rel + `>a</a>`,
		"[a](HTTP://x.example 'titre')":             `<a href="http://x.example"` + rel + `>a</a>`,
		"[a](https://x.example/été)":                `<a href="https://x.example/%C3%A9t%C3%A9"` + rel + `>a</a>`,
		"<https://x.example/&copy=1>":               `<a href="https://x.example/&amp;copy=1"` + rel + `>https://x.example/&amp;copy=1</a>`,
		"<a@x.example>":                             `<a href="mailto:a@x.example">a@x.example</a>`,
		"[a](/outils/lumen#prix)":                   `<a href="/outils/lumen#prix">a</a>`,
		"[a](#prix)":                                `<a href="#prix">a</a>`,
		"[a][b]\n\n[b]: https://x.example":          `<a href="https://x.example"` + rel + `>a</a>`,
		"![a *b*](https://x.example/y.png)":         `<a href="https://x.example/y.png"` + rel + `>a <em>b</em></a>`,
		"b ![](https://x.example/y.png)":            `b <a href="https://x.example/y.png"` + rel + `>https://x.example/y.png</a>`,
		"[b ![a](https://y.example)](https://x.fr)": `<a href="https://x.fr"` + rel + `>b a</a>`,
		"https://x.example":                         "https://x.example",
		"[a](lumen)":                                "a",
		"[a](../lumen)":                             "a",
		"[a](//x.example)":                          "a",
		"[a](///x.example)":                         "a",
		"[a](/\\\\x.example)":                       `<a href="/%5Cx.example">a</a>`,
		"[a](/&#9;/x.example)":                      "a",
		"[a](https:x.example)":                      "a",
		"[a](https:\\\\\\\\x.example)":              "a",
		"[a](https://banque.example@x.example)":     "a",
		"[a](javascript:alert(1))":                  "a",
		"[a](JaVaScRiPt:alert(1))":                  "a",
		"[a](<java\tscript:alert(1)>)":              "a",
		"[a](<\u0001javascript:alert(1)>)":          "a",
		"[a](&#106;avascript&colon;alert(1))":       "a",
		"[a](java&NewLine;script:alert(1))":         "a",
		"[a](javascript%3Aalert(1))":                "a",
		"[a](javascript\\:alert(1))":                "a",
		"[a](vbscript:x)":                           "a",
		"[a](data:text/html;base64,eA==)":           "a",
		"![a](data:image/png;base64,eA==)":          "a",
		"[a](file:///etc/passwd)":                   "a",
		"<javascript:alert(1)>":                     "javascript:alert(1)",
	} {
		testkit.Equal(t, source, string(markdown.Render(source, nil).HTML), `<p id="resume">`+want+"</p>\n")
	}
}

func TestBeginning(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		source     string
		characters int
		want       string
		more       bool
	}{
		{"", 20, "", false},
		{"- a\n", 20, "", true},
		{"Un avis.", 8, "<p>Un avis.</p>", false},
		{"Un avis net.", 9, "<p>Un avis…</p>", true},
		{"Un avis net.", 7, "<p>Un avis…</p>", true},
		{"Un *avis net*.", 8, "<p>Un <em>avis…</em></p>", true},
		{"Anticonstitutionnellement", 4, "<p>Anti…</p>", true},
		{"Été\nà [Nîmes](#nimes)\n\nB\n\n- c", 20, "<p>Été\nà Nîmes</p>\n<p>B</p>", true},
		{"A\n\nB\n\nC", 2, "<p>A</p>\n<p>B</p>", true},
		{"## A\n\n- b\n\nC\n\n## D\n\nE", 20, "<p>C</p>", true},
	} {
		got, more := markdown.Beginning(c.source, c.characters, nil)
		testkit.Equal(t, c.source, strings.TrimSuffix(string(got), "\n"), c.want)
		testkit.Equal(t, c.source+": there is more", more, c.more)
	}
}

// The anchors of a review are the ids of its chunks, in their order, and the page has the words of
// every chunk and no others.
func TestRender_IsWhatTheChunksAre(t *testing.T) {
	t.Parallel()
	generated := t.TempDir()
	_, err := generate.Write(t.Context(), generated, generate.Options{Tools: 400, Seed: 11})
	testkit.Must(t, err)
	root := filepath.Join("..", "..", "..")
	for _, dir := range []string{
		generated, filepath.Join(root, "examples", "catalog"), filepath.Join(root, "internal", "testdata", "catalog"),
	} {
		result, err := content.Load(t.Context(), dir, content.Options{})
		testkit.Must(t, err)
		testkit.Must(t, result.Err())
		snapshot := catalogtest.First(result.Contents, catalogtest.Edition(1))
		reviewed, served := 0, 0
		for _, tool := range result.Contents.Tools {
			if !tool.Review.Exists() {
				continue
			}
			reviewed++
			source, err := snapshot.Review(tool.Slug)
			testkit.Must(t, err)
			review := markdown.Render(source, nil)
			page := read(t, string(review.HTML))
			var ids, headings []string
			var words strings.Builder
			for _, s := range tool.Review.Sections {
				ids = append(ids, s.ID)
				if s.ID != catalog.SummaryID {
					headings = append(headings, s.ID+" "+s.Heading)
					words.WriteString(s.Heading)
				}
				words.WriteString(s.Text)
			}
			testkit.Equal(t, tool.Slug+": anchors", page.ids, ids)
			testkit.Equal(t, tool.Slug+": words", letters(page.text.String()), letters(words.String()))
			var contents []string
			for _, h := range review.Headings {
				contents = append(contents, h.ID+" "+h.Text)
			}
			testkit.Equal(t, tool.Slug+": contents", contents, headings)
			if doc, err := snapshot.EmbeddingsJSON(tool.Slug); err == nil {
				served++
				testkit.Equal(t, tool.Slug+": chunks of the API", chunkIDs(t, doc.Body), page.ids)
			}
		}
		if reviewed == 0 || served == 0 {
			t.Errorf("%s: %d reviews, %d of them served as chunks", dir, reviewed, served)
		}
	}
}

func chunkIDs(t *testing.T, document []byte) (ids []string) {
	t.Helper()
	var answer struct {
		Chunks []struct{ ID string }
	}
	testkit.Must(t, json.Unmarshal(document, &answer))
	for _, c := range answer.Chunks {
		ids = append(ids, c.ID)
	}
	return ids
}

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// Prose is typeset, code is not.
func TestTypeset(t *testing.T) {
	t.Parallel()
	const source = "## A 'a\n\nb 'b' `c 'c'` [d 'd'](/e'e)\n\n    f 'f'\n"
	curly := func(s string) string { return strings.ReplaceAll(s, "'", "’") }
	got := markdown.Render(source, curly)
	testkit.Equal(t, "the heading", got.Headings[0].Text, "A ’a")
	want := "<h2 id=\"a-a\">A ’a</h2>\n<p>b ’b’ <code>c &#39;c&#39;</code> <a href=\"/e&#39;e\">d ’d’</a></p>\n" +
		"<pre><code>f &#39;f&#39;\n</code></pre>\n"
	testkit.Equal(t, "the review", string(got.HTML), want)
}
