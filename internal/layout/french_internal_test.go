package layout

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// An English page says directly before the first French sentence and the first French text that it is, and no French
// page does.
func TestTellFrench(t *testing.T) {
	t.Parallel()
	const line, words = `<div class="tongue" lang="en">In French:</div>`, `<span class="tongue" lang="en">In French:</span> `
	english := NewWriter(locale.English, FrameTexts())
	for main, want := range map[string]string{
		`<p>a</p>`:               `<p>a</p>`,
		`<a hreflang="fr">a</a>`: `<a hreflang="fr">a</a>`,
		`<p>a</p><select><option value="fr" lang="fr">Français</option></select>`:                `<p>a</p><select><option value="fr" lang="fr">Français</option></select>`,
		`<h1>a</h1><p>b: <span lang="fr">c</span> <span lang="fr">d</span></p>`:                  `<h1>a</h1><p>b: ` + words + `<span lang="fr">c</span> <span lang="fr">d</span></p>`,
		`<h3 class="x"><a href="/"><span lang="fr">b</span></a></h3>`:                            `<h3 class="x">` + words + `<a href="/"><span lang="fr">b</span></a></h3>`,
		`<p>a</p><ul><li><span lang="fr">b</span></li></ul>`:                                     `<p>a</p><ul><li>` + words + `<span lang="fr">b</span></li></ul>`,
		`<table><tr><td><span lang="fr">b</span></td></tr></table>`:                              `<table><tr><td>` + words + `<span lang="fr">b</span></td></tr></table>`,
		`<p class="x" lang="fr">a</p>`:                                                           `<p class="x" lang="fr">` + words + `a</p>`,
		`<h1>a</h1><ol lang="fr"><li>b</li></ol>`:                                                `<h1>a</h1>` + line + `<ol lang="fr"><li>b</li></ol>`,
		`<nav><ol lang="fr"><li>a</li></ol></nav>`:                                               `<nav><ol lang="fr"><li>a</li></ol></nav>`,
		`<nav><ol><li><span lang="fr">a</span></li></ol></nav><h1><span lang="fr">b</span></h1>`: `<nav><ol><li><span lang="fr">a</span></li></ol></nav><h1>` + words + `<span lang="fr">b</span></h1>`,
		`<p><span lang="fr">a</span></p><article class="review" lang="fr"><p>b</p></article><div lang="fr">c</div>`: `<p>` + words +
			`<span lang="fr">a</span></p><article class="review" lang="fr">` + line + `<p>b</p></article><div lang="fr">c</div>`,
		`<div lang="fr">a</div><p><span lang="fr">b</span></p>`: `<div lang="fr">` + line + `a</div><p><span lang="fr">b</span></p>`,
	} {
		testkit.Equal(t, main, string(english.tellFrench([]byte(main))), want)
		testkit.Equal(t, main+" on a French page", string(english.In(locale.French).tellFrench([]byte(main))), main)
	}
}
