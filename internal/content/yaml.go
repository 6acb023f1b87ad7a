package content

import (
	"errors"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// parseYAML reads one YAML document. On a syntax error it reports a fault and
// returns false.
func (d *document) parseYAML(text string, firstLine int) (node, bool) {
	lift := firstLine - 1
	if i := strings.Index("\n"+text+"\n", "\n"+middle+"\n"); i >= 0 {
		d.fault(position{firstLine + strings.Count(text[:i], "\n"), 1}, "merge marker %q: %s", middle, mergeAdvice)
		return node{}, false
	}
	tokens := lexer.Tokenize(text)
	if !d.checkDepth(tokens, lift) {
		return node{}, false
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		d.refuseYAML(err, text, firstLine)
		return node{}, false
	}
	root := node{kind: nothing, pos: position{firstLine, 1}}
	documents := 0
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		next := convert(doc.Body, lift)
		if documents++; documents > 1 {
			d.fault(next.pos, "a second YAML document begins here: keep one document in the file")
			return node{}, false
		}
		root = next
	}
	return root, true
}

// refuseYAML reports a syntax error. It quotes the parser's own words only when explain has nothing better for
// editors.
func (d *document) refuseYAML(err error, text string, firstLine int) {
	pos := position{firstLine, 1}
	var message string
	if syntax, ok := errors.AsType[yaml.Error](err); ok {
		message = syntax.GetMessage()
		if t := syntax.GetToken(); t != nil {
			pos = at(t, firstLine-1)
		}
	} else {
		message = err.Error() // not for a syntax error, whose text quotes the file at great length
	}
	if at, said := explain(text, pos.line-firstLine, message); said != "" {
		d.fault(position{at.line + firstLine, at.column}, "%s", said)
		return
	}
	d.fault(pos, "not YAML: %s%s", message, yamlAdvice(message))
}

// explain returns where an editor made a mistake and what it was; the message is "" when it finds none. The
// parser only says what it did not expect. Lines count from 0. It also looks at earlier lines, because the
// parser notices an unclosed bracket or quote only further down.
func explain(text string, line int, message string) (position, string) {
	lines := strings.Split(text, "\n")
	first := line
	if strings.Contains(message, "must be specified") || strings.Contains(message, "flow map") {
		first = 0
	}
	for i := min(line, len(lines)-1); i >= max(first, 0); i-- {
		if s, found := findSlip(lines[i]); found {
			return position{i, s.column}, s.message
		}
	}
	for i := range min(line, len(lines)-1) {
		if s, found := findSlip(lines[i]); found && s.quotes && !strings.HasPrefix(lines[i+1], " ") { // a value of several lines is indented
			return position{i, s.column}, s.message
		}
	}
	return position{}, ""
}

// yamlAdvice returns what to do about one of the parser's messages.
func yamlAdvice(message string) string {
	switch {
	case strings.Contains(message, "mapping value is not allowed"):
		return `: put a value that holds ": " between quotes, and begin every key in the first column`
	case strings.Contains(message, "could not find end character"):
		return ": close the quote on the same line"
	case strings.Contains(message, "must be specified"):
		return ": close the bracket, or put the value between quotes"
	case strings.Contains(message, "cannot start any token"):
		return ": use spaces, not tabs, and put a value that begins with a special character between quotes"
	case strings.Contains(message, "reserved character"):
		return ": put the value between quotes"
	default:
		return `: write one "key: value" a line, begin every key in the first column, and put the value between quotes if in doubt`
	}
}

func convert(n ast.Node, lift int) node {
	if n == nil {
		return node{kind: nothing, pos: position{1 + lift, 1}}
	}
	out := node{pos: at(n.GetToken(), lift)}
	switch n := n.(type) {
	case *ast.NullNode:
		out.kind = nothing
	case *ast.StringNode:
		out.kind, out.text = plain, n.Value
		if n.Token.Type == token.DoubleQuoteType || n.Token.Type == token.SingleQuoteType {
			out.kind = quoted
		} else {
			out.rest = commentAfter(n.Token, lift)
		}
	case *ast.LiteralNode:
		// The line break that ends a block belongs to the notation, not to the value.
		out.kind, out.text = quoted, strings.TrimRight(n.Value.Value, "\n")
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		out.kind, out.text = plain, n.GetToken().Value
	case *ast.SequenceNode:
		out.kind = sequence
		for _, item := range n.Values {
			out.items = append(out.items, convert(item, lift))
		}
	case *ast.MappingNode:
		out.kind = mapping
		for _, v := range n.Values {
			out.fields = append(out.fields, convertField(v, lift))
		}
	case *ast.MappingValueNode:
		out.kind, out.fields = mapping, []field{convertField(n, lift)}
	default:
		out.kind = unreadable
	}
	if out.kind == plain && plainType(out.text) == "nothing" {
		out.kind, out.text = nothing, ""
	}
	if out.kind == mapping && len(out.fields) > 0 && n.GetToken().Value != "{" {
		out.pos = out.fields[0].pos // the node's own token is the colon
	}
	return out
}

// commentAfter finds the comment that stands on the last line of a value.
func commentAfter(t *token.Token, lift int) comment {
	next := t.Next
	last := t.Position.Line + strings.Count(strings.TrimSpace(t.Origin), "\n")
	if next == nil || next.Type != token.CommentType || next.Position.Line != last {
		return comment{}
	}
	return comment{"#" + next.Value, at(next, lift)}
}

func convertField(v *ast.MappingValueNode, lift int) field {
	key := ""
	if t := v.Key.GetToken(); t != nil {
		key = t.Value
	}
	return field{key: key, pos: at(v.Key.GetToken(), lift), value: convert(v.Value, lift)}
}
