package catalog

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"time"
)

// Localized is a text in both languages. Readers of English get the French if there is no English.
type Localized struct{ French, English string }

// Words are the operator's words about themselves in catalog.yaml. All of them may be empty.
type Words struct {
	Promise  Localized // how they work, in a sentence
	Colophon Localized // who they are, in the footer of every page
	Contact  Localized // an e-mail address, or an address of the web
	Unsigned bool      // the footer does not name the software
	Pro      Pro
	Proofs   [MaxProofs]Proof
}

// MaxProofs is how many proofs an operator may give.
const MaxProofs = 2

// A Proof is a reason to trust the operator that the front page shows, such as "advertising: none". The zero Proof is none.
type Proof struct{ Label, Value Localized }

// Pro is what the operator promises to customers of the Pro plan, beyond what the software does by
// itself. The zero Pro promises DefaultAvailability and priority support.
type Pro struct {
	Availability string // the target, in percent, such as "99.5"; "0" for none
	NoSupport    bool   // no priority support
}

// DefaultAvailability is the target, in percent, if the operator names none.
const DefaultAvailability = "99"

// Target returns the availability target in percent; "" for none.
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

// FrenchPage and EnglishPage are the suffixes of a page's files.
const (
	FrenchPage  = ".md"
	EnglishPage = ".en.md"
)

// The files that change what the site looks like.
const (
	LogoFile    = "logo.svg"
	LogoPicture = "logo.png" // for cards and mails, which cannot show an SVG
	FaviconFile = "favicon.svg"
	ThemeFile   = "theme.css"
)

// An OperatorFile is a file of pages/: the operator's own words or the looks of their site. It has
// no Text in the published state that a publication is compared with.
type OperatorFile struct {
	Name string // in pages/
	Hash string // of the file, in hex
	Text string // a picture's bytes are in base64
}

// NewOperatorFile returns a text file with its hash.
func NewOperatorFile(name, text string) *OperatorFile {
	return &OperatorFile{Name: name, Hash: textDigest(text), Text: text}
}

// NewOperatorPicture returns a picture file with its hash. Like all files it is stored as text.
func NewOperatorPicture(name string, data []byte) *OperatorFile {
	return &OperatorFile{Name: name, Hash: digest(data), Text: base64.StdEncoding.EncodeToString(data)}
}

func textDigest(text string) string { return digest([]byte(text)) }

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// Picture returns the bytes of a picture; nil for any other file.
func (f *OperatorFile) Picture() []byte {
	data, err := base64.StdEncoding.DecodeString(f.Text)
	if err != nil {
		return nil
	}
	return data
}

// An Incident is a period in which the service did not work as it should, in the operator's words.
type Incident struct {
	At         time.Time // when it began, in UTC
	ResolvedAt time.Time // when it ended, in UTC; zero while it lasts
	Title      Localized
	Text       Localized
}

// Equal reports whether two incidents have the same times and texts.
func (i Incident) Equal(other Incident) bool {
	return i.At.Equal(other.At) && i.ResolvedAt.Equal(other.ResolvedAt) &&
		i.Title == other.Title && i.Text == other.Text
}

// A License is the SPDX name of the license under which the operator gives the data away. The zero
// License means none: the credit line is the only condition of use.
type License string

// The licenses that require a credit line and nothing else.
const (
	Etalab License = "etalab-2.0"
	CCBY   License = "CC-BY-4.0"
)

// Licenses lists the licenses that an operator can choose.
func Licenses() []License { return []License{Etalab, CCBY} }

// Title returns the full name of a license; "" for none.
func (l License) Title() string {
	switch l {
	case Etalab:
		return "Licence Ouverte / Open Licence 2.0"
	case CCBY:
		return "Creative Commons Attribution 4.0"
	}
	return ""
}

// URL returns the address of a license's text; "" for none.
func (l License) URL() string {
	switch l {
	case Etalab:
		return "https://spdx.org/licenses/etalab-2.0.html"
	case CCBY:
		return "https://creativecommons.org/licenses/by/4.0/"
	}
	return ""
}
