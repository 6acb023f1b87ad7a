package content

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
)

const (
	svgSpace   = "http://www.w3.org/2000/svg"
	xlinkSpace = "http://www.w3.org/1999/xlink"
	xmlSpace   = "http://www.w3.org/XML/1998/namespace"
	maxNested  = 64 // elements within elements
	idForm     = `[A-Za-z][A-Za-z0-9_.-]*`
	// A few masks or clips within each other take a browser forever to draw.
	maskAdvice = "is in a mask or a clip: masks and clips have shapes alone; apply both to the drawing, one to a group around it"
)

// svgForms holds the elements and attributes that a drawing may have, with the form of an attribute's value. None
// fetches, runs or repeats anything. <use> is left out: a few of them, nested, take a browser forever to draw. The
// last form has no sign to write an address with.
var svgForms = func() map[xml.Name]*regexp.Regexp {
	all := map[xml.Name]*regexp.Regexp{}
	for _, row := range []struct{ space, form, names string }{
		{svgSpace, ``, `svg g defs title desc path rect circle ellipse line polyline polygon text tspan linearGradient
			radialGradient stop clipPath mask`},
		{"", regexp.QuoteMeta(svgSpace), `xmlns`},
		{"xmlns", regexp.QuoteMeta(xlinkSpace), `xlink`},
		{xlinkSpace, `#` + idForm, `href`},
		{xmlSpace, `(?s:.*)`, `space`},
		{"", `(?s:.*)`, `aria-label`},
		{"", `true|false`, `aria-hidden`},
		{"", `[a-z]+`, `role`},
		{"", `[A-Za-z0-9 ,'"_-]+`, `font-family`},
		{"", `\s*-?[0-9.]+(?:[\s,]+-?[0-9.]+)(?:[\s,]+[0-9]*\.?[0-9]*[1-9][0-9]*\.?[0-9]*){2}\s*`, `viewBox`},
		{"", idForm, `id`},
		{"", `#` + idForm, `href`},
		{"", `(?:url\(#` + idForm + `\)|(?:rgba?|hsla?|matrix|translate|scale|rotate|skewX|skewY)\([-+0-9.,%eE\s]*\)|[-+A-Za-z0-9.,%#\s])*`, `
			version baseProfile preserveAspectRatio width height x y x1 y1 x2 y2 cx cy r rx ry fx fy fr dx dy d points
			transform gradientTransform gradientUnits spreadMethod offset pathLength clipPathUnits maskUnits rotate
			maskContentUnits fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap display
			stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset opacity color stop-color stop-opacity
			clip-path clip-rule mask mask-type visibility overflow vector-effect paint-order shape-rendering font-size
			text-rendering color-interpolation font-style font-weight letter-spacing word-spacing text-anchor textLength
			dominant-baseline alignment-baseline lengthAdjust`},
	} {
		form := regexp.MustCompile(`^(?:` + row.form + `)$`)
		for name := range strings.FieldsSeq(row.names) {
			all[xml.Name{Space: row.space, Local: name}] = form
		}
	}
	return all
}()

var (
	xmlHead      = regexp.MustCompile(`^version=["']1\.0["'](?:\s+encoding=["'](?i:utf-8)["'])?(?:\s+standalone=["'](?:yes|no)["'])?\s*$`)
	xmlAttribute = regexp.MustCompile(`([^\s:=]+)\s*=\s*(?:"[^"]*"|'[^']*')`)
	xmlPrefixes  = map[string]string{xlinkSpace: "xlink", xmlSpace: "xml"}
)

// An svgCheck is where a check is in an SVG file.
type svgCheck struct {
	*document
	open  []string // names of elements
	roots int      // elements that were in no other
}

func masking(element string) bool { return element == "mask" || element == "clipPath" }

// svg checks an SVG file.
func (d *document) svg() {
	s, file := svgCheck{document: d}, xml.NewDecoder(bytes.NewReader(d.data))
	for more := true; more; {
		start := int(file.InputOffset())
		token, err := file.Token()
		end := int(file.InputOffset())
		switch t := token.(type) {
		case xml.Directive:
			words := append(strings.Fields(string(t)), "")
			d.fault(d.positionOf(start), "<!%s> is not allowed: remove it; an SVG file needs no DOCTYPE and no entities", cutValue(words[0]))
			more = false
		case xml.ProcInst:
			if t.Target != "xml" || start > 0 || !xmlHead.Match(t.Inst) {
				d.fault(d.positionOf(start), "<?%s?> is not allowed: remove it", t.Target)
			}
		case xml.StartElement:
			more = s.element(t, start, d.data[start:end])
		case xml.EndElement:
			s.open = s.open[:len(s.open)-1]
		case nil:
			if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
				err = errors.New(syntax.Msg)
			}
			if more = false; !errors.Is(err, io.EOF) {
				d.fault(d.positionOf(end), "not XML: %v", err)
			}
		}
	}
	if s.roots == 0 && !d.failed {
		d.fault(fileStart, "there is no drawing: the file must hold one <svg>")
	}
}

// element checks a start tag, and its attributes if the element is allowed. It returns false when the rest of the file
// is not worth reading.
func (s *svgCheck) element(t xml.StartElement, start int, tag []byte) bool {
	pos, name, root, masked := s.positionOf(start), t.Name.Local, len(s.open) == 0, slices.ContainsFunc(s.open, masking)
	s.open = append(s.open, name)
	if root {
		s.roots++
	}
	switch {
	case t.Name.Space != svgSpace && name == "svg" && root:
		s.fault(pos, `<svg> has no namespace: write <svg xmlns="%s" …>`, svgSpace)
		return false
	case t.Name.Space != svgSpace, svgForms[t.Name] == nil, bytes.Contains(bytes.Fields(tag)[0], []byte(":")):
		s.fault(pos, "<%s> is not allowed: keep to shapes, text, gradients, clips and masks", name)
	case (name == "svg") != root, s.roots > 1:
		s.fault(pos, "<%s> is not allowed here: the file holds one <svg>, and all else is in it", name)
	case masked && masking(name):
		s.fault(pos, "<%s> %s", name, maskAdvice)
	case len(s.open) > maxNested:
		s.fault(pos, "elements are nested deeper than %d: flatten them", maxNested)
		return false
	default:
		s.attributes(t, start, tag)
	}
	return true
}

func (s *svgCheck) attributes(t xml.StartElement, start int, tag []byte) {
	offsets, seen := map[string]int{}, map[xml.Name]bool{}
	for _, m := range xmlAttribute.FindAllSubmatchIndex(tag, -1) {
		name := string(tag[m[2]:m[3]])
		offsets[name] = cmp.Or(offsets[name], m[2])
	}
	for _, a := range t.Attr {
		at, name := s.positionOf(start+offsets[a.Name.Local]), a.Name.Local
		if seen[a.Name] {
			s.fault(at, "attribute %s is there twice: keep one", name)
		}
		seen[a.Name] = true
		form := svgForms[a.Name]
		switch fits := form != nil && form.MatchString(a.Value); {
		case fits && (name == "mask" || name == "clip-path") && strings.Contains(a.Value, "(") && slices.ContainsFunc(s.open, masking):
			s.fault(at, "%s of <%s> %s", name, t.Name.Local, maskAdvice)
		case fits:
		case a.Name.Space == "xmlns":
			s.fault(at, "the namespace %s is not allowed: remove it; save the file as plain SVG", name)
		case form == nil, name == "xmlns":
			name = strings.TrimPrefix(cmp.Or(xmlPrefixes[a.Name.Space], a.Name.Space)+":"+name, ":")
			s.fault(at, "attribute %s of <%s> is not allowed: remove it, or save the file as plain SVG", name, t.Name.Local)
		case name == "href":
			s.fault(at, "%s of <%s> leads out of the file: write # and the id of a gradient, or remove it", name, t.Name.Local)
		case name == "viewBox":
			s.fault(at, "viewBox is %q: write four numbers, the last two above 0, such as 0 0 32 32", cutValue(a.Value))
		default:
			s.fault(at, "%s of <%s> is %q: only numbers, words, colours, transforms and url(#id) are allowed", name, t.Name.Local, cutValue(a.Value))
		}
	}
	if len(s.open) == 1 && !seen[xml.Name{Local: "viewBox"}] {
		s.fault(s.positionOf(start), `<svg> has no viewBox: add one, such as viewBox="0 0 32 32", so that it can be drawn at any size`)
	}
}
