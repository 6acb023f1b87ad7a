package layouttest_test

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/layouttest"
)

func TestTypography(t *testing.T) {
	t.Parallel()
	for page, faults := range map[string]int{
		`<html lang="fr"><p>Oui` + "\u202f! Il faut\u00a0: «\u202fça\u202f», 20\u00a0€, 24\u00a0heures, l’an.": 0,
		`<html lang="fr"><p>Oui !`:                         1,
		`<html lang="fr"><p>Oui` + "\u00a0!":               1,
		`<html lang="fr"><p>Il faut : rien.`:               1,
		`<html lang="fr"><p>Il faut <b>tout</b> : rien.`:   1,
		`<html lang="fr"><p>Il faut <code>ls</code> : oui`: 1,
		`<html lang="fr"><p>« oui »`:                       2,
		`<html lang="fr"><p>l'an`:                          1,
		`<html lang="fr"><p>24 heures, 20%, 1 000 €`:       4,
		`<html lang="fr"><p>5 joueurs, 3 septembre`:        0,
		`<html lang="fr"><code>a : 'b' !</code><pre>x ?</pre><textarea>'</textarea><script>'x' ;</script>`: 0,
		`<html lang="fr"><p>Not Found <span lang="en">You don’t: why?</span>`:                              0,
		`<html lang="fr"><p><span lang="en">You don't</span>`:                                              1,
		`<html lang="fr"><img alt="l'an"><input value="l'an" placeholder="Pourquoi ?">`:                    2,
		`<html lang="fr"><head><title>Pourquoi ?</title><meta name="description" content="Pourquoi ?">`:    2,
		`<html lang="en"><p>Why? Because: 80%, €99, it’s.`:                                                 0,
		`<html lang="en"><p>Why ?`:                                             1,
		`<html lang="en"><p>80` + "\u00a0% of 99 €":                            2,
		`<html lang="en"><p>It's "so"`:                                         3,
		`<html lang="en"><p lang="fr">Pourquoi` + "\u202f?</p>":                0,
		`<html lang="en"><p>See <span lang="fr">Le quoi` + "\u202f?</span>...": 1,
	} {
		if got := layouttest.Typography(page); len(got) != faults {
			t.Errorf("%s has %d faults, want %d:\n%s", page, len(got), faults, strings.Join(got, "\n"))
		}
	}
}
