package layout

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// An English page says once that a text is in French, where that begins, and no French page does.
func TestTellFrench(t *testing.T) {
	t.Parallel()
	const says = `<div class="tongue" lang="en">This text is in French.</div>`
	english := NewWriter(locale.English, FrameTexts())
	for main, want := range map[string]string{
		`<p>a</p>`:               `<p>a</p>`,
		`<a hreflang="fr">a</a>`: `<a hreflang="fr">a</a>`,
		`<p>a</p><select><option value="fr" lang="fr">Français</option></select>`:             `<p>a</p><select><option value="fr" lang="fr">Français</option></select>`,
		`<h1>a</h1><p><span lang="fr">b</span> <span lang="fr">c</span></p>`:                  `<h1>a</h1>` + says + `<p><span lang="fr">b</span> <span lang="fr">c</span></p>`,
		`<h3 class="x"><a><span lang="fr">b</span></a></h3>`:                                  says + `<h3 class="x"><a><span lang="fr">b</span></a></h3>`,
		`<p>a</p><ul><li><span lang="fr">b</span></li></ul>`:                                  `<p>a</p><ul><li>` + says + `<span lang="fr">b</span></li></ul>`,
		`<nav><ol><li><span lang="fr">b</span></li></ol></nav>`:                               says + `<nav><ol><li><span lang="fr">b</span></li></ol></nav>`,
		`<table><tr><td><span lang="fr">b</span></td></tr></table>`:                           says + `<table><tr><td><span lang="fr">b</span></td></tr></table>`,
		`<p><span lang="fr">a</span></p><article class="review" lang="fr"><p>b</p></article>`: `<p><span lang="fr">a</span></p><article class="review" lang="fr">` + says + `<p>b</p></article>`,
		`<ol lang="fr"><li>a</li></ol><div lang="fr">b</div>`:                                 `<ol lang="fr"><li>a</li></ol><div lang="fr">` + says + `b</div>`,
	} {
		testkit.Equal(t, main, string(english.tellFrench([]byte(main))), want)
		testkit.Equal(t, main+" on a French page", string(english.In(locale.French).tellFrench([]byte(main))), main)
	}
}
