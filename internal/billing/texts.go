package billing

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
)

// ErrNoTexts is returned when the operator's terms or legal notice are missing or unfinished. Nothing is sold
// then: a buyer must know what is agreed, and with whom.
var ErrNoTexts = errors.New("the terms and the legal notice are not ready")

// OperatorTexts are the operator's terms and legal notice, on which each order rests, by language. French is
// required. A text that is not written is "".
type OperatorTexts struct{ Terms, Legal map[account.Language]string }

// A Text is one of the operator's texts in one language. Its hash identifies it: an order stores the hash of the
// text that was accepted, and the text is kept for as long as an order names it.
type Text struct {
	Hash     string // SHA-256, in hex
	Language account.Language
	Body     string
}

// An ownPage is a page that the operator must publish before anything is sold.
type ownPage struct {
	what, name string // in words, and as its files are named
	texts      map[account.Language]string
}

func (t OperatorTexts) pages() []ownPage {
	return []ownPage{{"terms", catalog.PageTerms, t.Terms}, {"legal notice", catalog.PageLegal, t.Legal}}
}

// unfinished matches the marker that the page templates leave where the operator has to write something.
var unfinished = regexp.MustCompile(`\bTODO\b`)

// fault describes what is missing or unfinished in a page; "" for nothing. French is required; English is optional,
// but must be finished if it exists.
func (p ownPage) fault() string {
	switch {
	case p.texts[account.French] == "":
		return "it is not published: write pages/" + p.name + catalog.FrenchPage
	case unfinished.MatchString(p.texts[account.French]):
		return "TODO is left: write what it asks for in pages/" + p.name + catalog.FrenchPage
	case unfinished.MatchString(p.texts[account.English]):
		return "TODO is left: write what it asks for in pages/" + p.name + catalog.EnglishPage
	}
	return ""
}

// Check returns an error that wraps ErrNoTexts and says what is missing or unfinished; nil if nothing is.
func (t OperatorTexts) Check() error {
	var faults []error
	for _, p := range t.pages() {
		if fault := p.fault(); fault != "" {
			faults = append(faults, fmt.Errorf("%s: %s", p.what, fault))
		}
	}
	if faults == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrNoTexts, errors.Join(faults...))
}

// TermsIn returns the terms in a language, or in French if there are none in it.
func (t OperatorTexts) TermsIn(l account.Language) Text { return textIn(t.Terms, l) }

// LegalIn returns the legal notice in a language, or in French if there is none in it.
func (t OperatorTexts) LegalIn(l account.Language) Text { return textIn(t.Legal, l) }

func textIn(texts map[account.Language]string, l account.Language) Text {
	if texts[l] == "" {
		l = account.French
	}
	sum := sha256.Sum256([]byte(texts[l]))
	return Text{Hash: hex.EncodeToString(sum[:]), Language: l, Body: texts[l]}
}
