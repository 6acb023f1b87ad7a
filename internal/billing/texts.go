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

// ErrNoTexts says that nothing is sold: the operator's terms or legal notice are missing or not finished.
// Whoever buys must know what is agreed, and with whom.
var ErrNoTexts = errors.New("the terms and the legal notice are not ready")

// OperatorTexts are what the operator wrote that an order stands on, by language; French comes first. What is
// not written is "".
type OperatorTexts struct{ Terms, Legal map[account.Language]string }

// A Text is one of them. Its hash names it: what somebody accepted is found by it for as long as an order
// names it.
type Text struct {
	Hash     string // SHA-256, in hex
	Language account.Language
	Body     string
}

// An ownPage is one that the operator must have published before anything is sold.
type ownPage struct {
	what, name string // what it is, and how its files are called
	texts      map[account.Language]string
}

func (t OperatorTexts) pages() []ownPage {
	return []ownPage{{"terms", catalog.PageTerms, t.Terms}, {"legal notice", catalog.PageLegal, t.Legal}}
}

// unfinished marks what a template asks an operator to write.
var unfinished = regexp.MustCompile(`\bTODO\b`)

// fault says what is missing or not finished of a page; "" if it is written. French is needed; English has to be
// finished if it is there.
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

// Check returns an error that wraps ErrNoTexts and says what is missing or not finished; nil if all is there.
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

// TermsIn returns the terms in a language, or else in French.
func (t OperatorTexts) TermsIn(l account.Language) Text { return textIn(t.Terms, l) }

// LegalIn returns the legal notice in a language, or else in French.
func (t OperatorTexts) LegalIn(l account.Language) Text { return textIn(t.Legal, l) }

func textIn(texts map[account.Language]string, l account.Language) Text {
	if texts[l] == "" {
		l = account.French
	}
	sum := sha256.Sum256([]byte(texts[l]))
	return Text{Hash: hex.EncodeToString(sum[:]), Language: l, Body: texts[l]}
}
