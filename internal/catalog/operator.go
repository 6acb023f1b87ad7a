package catalog

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"time"
)

// Localized is a text in both languages. Without an English one, readers of English get the French.
type Localized struct{ French, English string }

// Words are what the operator says of himself in catalog.yaml. All of them may be empty.
type Words struct {
	Promise  Localized // how they work, in a sentence
	Colophon Localized // who they are, at the foot of every page
	Contact  Localized // an e-mail address, or an address of the web
	Unsigned bool      // the foot of pages does not name the software
	Pro      Pro
}

// Pro is what the operator promises with that plan beyond what the software does by itself. The zero Pro
// promises what most do: DefaultAvailability, and priority support.
type Pro struct {
	Availability string // the target, in percent, such as "99.5"; "0" for none
	NoSupport    bool   // support does not come first
}

// DefaultAvailability is the target of an operator who names none, in percent.
const DefaultAvailability = "99"

// Target is the target of availability in percent; "" for none.
func (p Pro) Target() string {
	switch p.Availability {
	case "":
		return DefaultAvailability
	case "0":
		return ""
	}
	return p.Availability
}

// The pages that an operator may write. Each is a file of pages/: <name>.md in French, and
// <name>.en.md in English.
const (
	PageMethod  = "comment-nous-testons"
	PageLegal   = "mentions-legales"
	PagePrivacy = "confidentialite"
	PageTerms   = "conditions"
)

// OperatorPages lists the pages that an operator may write, in the order in which they are linked.
func OperatorPages() []string { return []string{PageMethod, PageLegal, PagePrivacy, PageTerms} }

// FrenchPage and EnglishPage are what follows the name of a page in that of its file.
const (
	FrenchPage  = ".md"
	EnglishPage = ".en.md"
)

// The files that change what the site looks like.
const (
	LogoFile    = "logo.svg"
	LogoPicture = "logo.png" // for what cannot draw the other: cards and mails
	FaviconFile = "favicon.svg"
	ThemeFile   = "theme.css"
)

// An OperatorFile is a file of pages/: the operator's own words, or what their site looks like. The
// published state that a publication is compared with has the Hash alone.
type OperatorFile struct {
	Name string // in pages/
	Hash string // of the file, in hex
	Text string // of a picture, its bytes in base64
}

// NewOperatorFile makes the file of a text.
func NewOperatorFile(name, text string) *OperatorFile {
	return &OperatorFile{Name: name, Hash: textDigest(text), Text: text}
}

// NewOperatorPicture makes the file of a picture. It is kept as text, as all others are.
func NewOperatorPicture(name string, data []byte) *OperatorFile {
	return &OperatorFile{Name: name, Hash: digest(data), Text: base64.StdEncoding.EncodeToString(data)}
}

// textDigest tells a text from another one.
func textDigest(text string) string { return digest([]byte(text)) }

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// Picture is the bytes of a picture; nil of what is none.
func (f *OperatorFile) Picture() []byte {
	data, err := base64.StdEncoding.DecodeString(f.Text)
	if err != nil {
		return nil
	}
	return data
}

// An Incident is a time at which the service did not work as it should, in the operator's words.
type Incident struct {
	At         time.Time // when it began, in UTC
	ResolvedAt time.Time // when it ended, in UTC; zero while it lasts
	Title      Localized
	Text       Localized
}

// Equal reports whether two incidents say the same.
func (i Incident) Equal(other Incident) bool {
	return i.At.Equal(other.At) && i.ResolvedAt.Equal(other.ResolvedAt) &&
		i.Title == other.Title && i.Text == other.Text
}
