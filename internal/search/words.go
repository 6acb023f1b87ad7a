package search

import "strings"

// wordSet returns the words of a text as a set.
func wordSet(text string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(text) {
		m[w] = true
	}
	return m
}

// The words that say nothing about what is wanted. A document need not have any of them.
var (
	// joiningWords join others.
	joiningWords = wordSet(`
		a au aux avec ce ces contre d dans de des du en est et l la le les mes mon ou par pour que qui sa sans se ses sur un une vs
		an and at by for from in is it my of on or that the to versus with your`)
	// fillingWords are typed around what is wanted, in a catalog where everything is a tool and most
	// of it has to do with AI.
	fillingWords = wordSet(`
		ai app apps best bon bonne cheap cheaper cher chere cheres chers good ia ias logiciel logiciels meilleur meilleure
		meilleures meilleurs mieux moins ne need no not outil outils pas plus software some something tool tools top want
		alternative alternatives comme equivalent equivalents instead like remplace remplacer replace replacement
		automatically automatiquement easily easy facile facilement faster online quickly rapidement simple simplement vite
		besoin can comment do does faire how i j je me moi quel quelle quelles quels veux what which
		below cents dollar dollars eur euro euros less month monthly mois than under usd`)
	// amountWords make an amount of a number beside them.
	amountWords = wordSet(`
		below budget cents dollar dollars eur euro euros less mois moins month monthly max maximum prix price than under usd`)
)

// saysNothing reports whether a word of a query says nothing: it joins or fills, or is an amount.
func saysNothing(words []string, i int) bool {
	w := words[i]
	if joiningWords[w] || fillingWords[w] {
		return true
	}
	if w == "" || w[0] < '0' || w[0] > '9' {
		return false
	}
	return i > 0 && amountWords[words[i-1]] || i+1 < len(words) && amountWords[words[i+1]]
}
