package content

import "github.com/goccy/go-yaml/token"

// Bounds of a YAML file. The parser needs memory that grows with the square of the depth, of the
// keys of one group and of the documents: 40,000 brackets take 3 GB. No content file is deeper
// than 4.
const (
	maxNesting = 16
	maxKeys    = 500
)

// A level is one level of nesting: a pair of brackets, or the block that begins in one column.
type level struct {
	column int // 0 for brackets
	keys   int
}

// at returns the position of a token in the file; lift is the number of lines before the YAML text.
func at(t *token.Token, lift int) position {
	if t == nil || t.Position == nil {
		return position{1 + lift, 1}
	}
	return position{t.Position.Line + lift, max(t.Position.Column, 1)}
}

// checkDepth returns false, and reports a fault, at the first token that is nested too deep or is one key too
// many. It runs before the parser, on tokens, whose memory is proportional to the text.
func (d *document) checkDepth(tokens token.Tokens, lift int) bool {
	levels, documents := make([]level, 0, maxNesting+1), 0
	for _, t := range tokens {
		column := 0
		switch t.Type { //nolint:exhaustive // all other tokens open and close nothing
		case token.SequenceStartType, token.MappingStartType:
			levels = append(levels, level{})
		case token.SequenceEndType, token.MappingEndType:
			if n := len(levels); n > 0 {
				levels = levels[:n-1]
			}
		case token.MappingValueType:
			column = t.Position.Column
			if t.Prev != nil && t.Prev.Position.Line == t.Position.Line {
				column = t.Prev.Position.Column // where the key begins
			}
		case token.SequenceEntryType, token.MappingKeyType:
			column = t.Position.Column
		case token.DocumentHeaderType:
			if documents++; documents > maxNesting {
				d.fault(at(t, lift), "another YAML document begins here: keep one document in the file")
				return false
			}
		case token.InvalidType:
			return true // the parser says what is wrong
		}
		if n := len(levels); column > 0 && (n == 0 || levels[n-1].column > 0) {
			levels = enter(levels, column)
		}
		n := len(levels)
		if n > maxNesting {
			d.fault(at(t, lift), "groups and lists are nested deeper than %d: write one \"key: value\" a line", maxNesting)
			return false
		}
		if t.Type != token.MappingValueType {
			continue
		}
		if levels[n-1].keys++; levels[n-1].keys > maxKeys {
			d.fault(at(t, lift), "there are more than %d keys here: remove those that are not allowed", maxKeys)
			return false
		}
	}
	return true
}

// enter closes the levels that begin after a column and opens one for the column, unless it is open.
func enter(levels []level, column int) []level {
	n := len(levels)
	for n > 0 && levels[n-1].column > column {
		n--
	}
	if n == 0 || levels[n-1].column < column {
		return append(levels[:n], level{column: column})
	}
	return levels[:n]
}
