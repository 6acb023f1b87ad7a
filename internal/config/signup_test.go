package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSignup_Blocked(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "blocked")
	text := "# throw-away mailboxes\n\ntrash.example # the worst\n  Bin.Example\r\nsociété.example\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{file, "trash.example, bin.example,,Société.Example", "xn--socit-esab.example,TRASH.example,bin.example"} {
		blocked, err := Signup{SignupBlocked: list}.Blocked()
		if err != nil {
			t.Errorf("%s: %v", list, err)
			continue
		}
		for email, want := range map[string]bool{
			"a@trash.example": true, "a@mail.trash.example": true, "a@a.b.bin.example": true, "a@société.example": true,
			"a@xn--socit-esab.example": true, "a@mail.société.example": true, "a@nottrash.example": false,
			"trash.example@example.org": false, "a@example": false, "a@example.org": false, "a@trash.example.org": false,
			// What idna refuses is compared as it is.
			"x@a_b.trash.example": true, "x@_.a_b.bin.example": true, "x@ab--cd.trash.example": true, "x@a_b.société.example": true,
			"x@a_b.xn--socit-esab.example": true, "x@a_b。trash。example": true, "x@-.TRASH.example": true, "x@a_b.example.org": false,
			"x@a_trash.example": false,
		} {
			if got := blocked(email); got != want {
				t.Errorf("%s, %s: blocked is %v", list, email, got)
			}
		}
	}
	none, err := Signup{}.Blocked()
	if err != nil || none("a@example.org") {
		t.Errorf("an empty list blocks, or %v", err)
	}
}

func TestSignup_NamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "blocked")
	if err := os.WriteFile(file, []byte("trash.example\n*.bin.example\na@b.example\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for list, want := range map[string][]string{
		"*.example":              {`PALMARES_SIGNUP_BLOCKED: "*.example" is no domain such as example.org`},
		"a.example,@b.example":   {`"@b.example" is no domain`},
		"a.example b.example":    {`"a.example b.example" is no domain`},
		file:                     {file + `:2: "*.bin.example"`, file + `:3: "a@b.example"`},
		file + ".missing":        {"it has a slash, so it is a file: open " + file + ".missing: no such file"},
		filepath.Dir(file) + "/": {"is a directory"},
	} {
		_, err := Signup{SignupBlocked: list}.Blocked()
		for _, text := range want {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %v, want %s", list, err, text)
			}
		}
	}
}
