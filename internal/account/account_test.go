package account_test

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
)

func TestParseEmail(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("d", 240) + ".example.org" // 252
	for given, want := range map[string]string{
		"ada@example.org":                 "ada@example.org",
		"Ada.LOVELACE@Example.ORG":        "ada.lovelace@example.org",
		"ada+palmares@mail.example.co.uk": "ada+palmares@mail.example.co.uk",
		"o'brien_1@example.org":           "o'brien_1@example.org",
		"a@b.c":                           "a@b.c",
		"Élise@Société.example":           "élise@société.example",
		"a@" + long:                       "a@" + long, // 254, RFC 5321's most
	} {
		if got, err := account.ParseEmail(given); err != nil || got != want {
			t.Errorf("%q: %q, %v", given, got, err)
		}
	}
	for why, given := range map[string]string{
		"empty":                          "",
		"blank":                          " ",
		"no @":                           "ada.example.org",
		"no local part":                  "@example.org",
		"no domain":                      "ada@",
		"no dot in the domain":           "ada@localhost",
		"dot in the local part alone":    "ada.l@localhost",
		"two @":                          "ada@b.c@example.org",
		"a display name":                 "Ada <ada@example.org>",
		"angle brackets":                 "<ada@example.org>",
		"a comment":                      "ada@example.org (Ada)",
		"two addresses":                  "ada@example.org, bob@example.org",
		"space before":                   " ada@example.org",
		"space after":                    "ada@example.org ",
		"a quoted local part":            `"ada"@example.org`,
		"a quoted space":                 `"ada l"@example.org`,
		"a line break":                   "ada@example.org\n",
		"a header smuggled in":           "ada@example.org\r\nBcc: all@example.org",
		"a NUL":                          "ada\x00@example.org",
		"an escape":                      "ada\x1b[31m@example.org",
		"an 8-bit escape":                "ada\u009b31m@example.org",
		"a space that does not break":    "ada\u00a0l@example.org",
		"a space without width":          "ada\u200b@example.org",
		"text that runs backwards":       "ada\u202e@example.org",
		"not UTF-8":                      "ada\xff@example.org",
		"a machine's address":            "ada@[192.0.2.1]",
		"a domain that ends in a dot":    "ada@example.org.",
		"a domain that begins with one":  "ada@.example.org",
		"two dots":                       "ada@example..org",
		"a local part that ends in one":  "ada.@example.org",
		"one byte too long":              "ab@" + long,
		"too long once it is lower case": strings.Repeat("Ⱥ", 120) + "@exa.example.org", // 2 bytes, 3 in lower case
	} {
		got, err := account.ParseEmail(given)
		if err == nil || got != "" {
			t.Errorf("%s: %q was read as %q", why, given, got)
			continue
		}
		if !strings.Contains(err.Error(), "ada@example.org") || strings.ContainsAny(err.Error(), "\n\r\x00\x1b\u009b\u202e") {
			t.Errorf("%s: the message gives no example, or repeats what a terminal obeys: %q", why, err)
		}
	}
}

// An address that was read reads as itself again: what is stored can be looked up.
func FuzzParseEmail(f *testing.F) {
	for _, s := range []string{"ada@example.org", "ADA@EXAMPLE.ORG", "İ@example.org", "\u212a@example.org", "a@[1.2.3.4]", `"a b"@c.d`, "@", "a@b@c.d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once, err := account.ParseEmail(s)
		if err != nil {
			return
		}
		if again, err := account.ParseEmail(once); err != nil || again != once {
			t.Errorf("%q is %q, which is %q, %v", s, once, again, err)
		}
	})
}

func TestParseKeyName(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"default":                     "default",
		"  prod\t":                    "prod",
		"clé d’essai : n° 2":          "clé d’essai : n° 2",
		"nuit\u202fet jour":           "nuit\u202fet jour",
		strings.Repeat("é", 80):       strings.Repeat("é", 80),
		" " + strings.Repeat("a", 80): strings.Repeat("a", 80),
	} {
		if got, err := account.ParseKeyName(given); err != nil || got != want {
			t.Errorf("%q: %q, %v", given, got, err)
		}
	}
	for why, given := range map[string]string{
		"empty": "", "blank": " \t\n", "too long": strings.Repeat("a", 81), "too long in accents": strings.Repeat("é", 81),
		"a line break": "a\nb", "a tab, which would break the table": "a\tb", "an escape": "a\x1b[31m", "an 8-bit escape": "a\u009b31m",
		"a NUL": "a\x00b", "delete": "a\x7f", "not UTF-8": "a\xff", "text that runs backwards": "a\u202eb",
	} {
		if got, err := account.ParseKeyName(given); err == nil || got != "" {
			t.Errorf("%s: %q was read as %q", why, given, got)
		} else if want := "a key's name has 1 to 80 characters, all of them visible"; err.Error() != want {
			t.Errorf("%s: %v", why, err)
		}
	}
}

func TestParseLanguage(t *testing.T) {
	t.Parallel()
	for s, known := range map[string]bool{"fr": true, "en": true, "": false, "FR": false, "fr-FR": false, "de": false} {
		l, err := account.ParseLanguage(s)
		if (err == nil) != known || known && string(l) != s || !known && l != "" {
			t.Errorf("%q: %q, %v", s, l, err)
		}
	}
}
