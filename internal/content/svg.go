package content

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

const (
	svgSpace   = "http://www.w3.org/2000/svg"
	xlinkSpace = "http://www.w3.org/1999/xlink"
	xmlSpace   = "http://www.w3.org/XML/1998/namespace"
	maxNested  = 64 // elements within elements
)

// svgElements are the elements that an operator's SVG file may have. None of them fetches, runs or repeats
// anything. <use> is left out because a few of them, nested, take a browser forever to draw.
var svgElements = []string{
	"svg", "g", "defs", "title", "desc", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon",
	"text", "tspan", "linearGradient", "radialGradient", "stop", "clipPath", "mask",
}

// masking reports whether an element is a mask or a clip path. Nesting them multiplies a browser's work: a few
// levels take forever to draw.
func masking(element string) bool { return element == "mask" || element == "clipPath" }

const maskAdvice = "masks and clips have shapes alone; apply both to the drawing, one to a group around it"

// svgAttributes are the attributes that any element may have, with the form of their values.
var svgAttributes = func() map[string]*regexp.Regexp {
	all := map[string]*regexp.Regexp{
		"id":          regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`),
		"href":        regexp.MustCompile(`^#[A-Za-z][A-Za-z0-9_.-]*$`),
		"viewBox":     regexp.MustCompile(`^\s*-?[0-9.]+(?:[\s,]+-?[0-9.]+)(?:[\s,]+[0-9]*\.?[0-9]*[1-9][0-9]*\.?[0-9]*){2}\s*$`),
		"role":        regexp.MustCompile(`^[a-z]+$`),
		"aria-label":  regexp.MustCompile(``),
		"aria-hidden": regexp.MustCompile(`^(?:true|false)$`),
		"font-family": regexp.MustCompile(`^[A-Za-z0-9 ,'"_-]+$`),
	}
	for name := range strings.FieldsSeq(`
		version baseProfile preserveAspectRatio width height x y x1 y1 x2 y2 cx cy r rx ry fx fy fr dx dy d points
		transform gradientTransform gradientUnits spreadMethod offset pathLength clipPathUnits maskUnits
		maskContentUnits fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap
		stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset opacity color stop-color stop-opacity
		clip-path clip-rule mask mask-type display visibility overflow vector-effect paint-order shape-rendering
		text-rendering color-interpolation font-size font-style font-weight letter-spacing word-spacing text-anchor
		dominant-baseline alignment-baseline textLength lengthAdjust rotate`) {
		all[name] = svgValue
	}
	return all
}()

// svgValue matches numbers, words, colours, and functions that stay within the file. It admits no colon, slash,
// quote or backslash, so that no address can be written.
var svgValue = regexp.MustCompile(`^(?:url\(#[A-Za-z][A-Za-z0-9_.-]*\)|(?:rgba?|hsla?|matrix|translate|scale|rotate|skewX|skewY)\([-+0-9.,%eE\s]*\)|[-+A-Za-z0-9.,%#\s])*$`)

// svg decodes an SVG file. It returns nil when the file has errors.
func (d *document) svg(name string) *catalog.OperatorFile {
	if !d.clean() || !d.within(maxSVG) {
		return nil
	}
	s := svgCheck{document: d, xml: xml.NewDecoder(bytes.NewReader(d.data))}
	for s.next() {
	}
	if !s.rooted && !d.failed {
		d.fault(fileStart, "there is no drawing: the file must hold one <svg>")
	}
	if d.failed {
		return nil
	}
	return catalog.NewOperatorFile(name, string(d.data))
}

// An svgCheck goes through the tokens of an SVG file.
type svgCheck struct {
	*document
	xml    *xml.Decoder
	start  int // offset of the current token
	depth  int
	inside int  // depth of the enclosing mask or clip; 0 outside of one
	rooted bool // an element has been read
}

// next checks the next token. It returns false after the last one, and when the rest cannot be read.
func (s *svgCheck) next() bool {
	s.start = int(s.xml.InputOffset())
	token, err := s.xml.Token()
	if errors.Is(err, io.EOF) {
		return false
	}
	if err != nil {
		message := err.Error()
		if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
			message = syntax.Msg
		}
		s.fault(s.positionOf(int(s.xml.InputOffset())), "not XML: %s", message)
		return false
	}
	pos := s.positionOf(s.start)
	switch t := token.(type) {
	case xml.Directive:
		s.fault(pos, "<!%s> is not allowed: remove it; an SVG file needs no DOCTYPE and no entities", firstWord(string(t)))
		return false
	case xml.ProcInst:
		if t.Target != "xml" || s.start > 0 {
			s.fault(pos, "<?%s?> is not allowed: remove it", t.Target)
		}
	case xml.StartElement:
		return s.element(t, pos)
	case xml.EndElement:
		if s.depth == s.inside {
			s.inside = 0
		}
		s.depth--
	}
	return true
}

// element checks a start tag, and its attributes if the element is allowed. It returns false when the rest of
// the file is not worth reading.
func (s *svgCheck) element(t xml.StartElement, pos position) bool {
	rooted := s.rooted
	s.rooted = true
	s.depth++
	switch {
	case t.Name.Space != svgSpace && t.Name.Local == "svg" && s.depth == 1:
		s.fault(pos, `<svg> has no namespace: write <svg xmlns="%s" …>`, svgSpace)
		return false
	case t.Name.Space != svgSpace, !slices.Contains(svgElements, t.Name.Local), s.prefixed():
		s.fault(pos, "<%s> is not allowed: keep to shapes, text, gradients, clips and masks", t.Name.Local)
		return true
	case (t.Name.Local == "svg") != (s.depth == 1), s.depth == 1 && rooted:
		s.fault(pos, "<%s> is not allowed here: the file holds one <svg>, and all else is in it", t.Name.Local)
		return true
	case masking(t.Name.Local) && s.inside > 0:
		s.fault(pos, "<%s> is in a mask or a clip: %s", t.Name.Local, maskAdvice)
		return true
	case s.depth > maxNested:
		s.fault(pos, "elements are nested deeper than %d: flatten them", maxNested)
		return false
	}
	if masking(t.Name.Local) {
		s.inside = s.depth
	}
	seen := map[xml.Name]bool{}
	for _, a := range t.Attr {
		if seen[a.Name] {
			s.fault(s.attribute(a), "attribute %s is there twice: keep one", a.Name.Local)
		}
		seen[a.Name] = true
		s.checkAttribute(t.Name.Local, a)
	}
	if s.depth == 1 && !seen[xml.Name{Local: "viewBox"}] {
		s.fault(pos, `<svg> has no viewBox: add one, such as viewBox="0 0 32 32", so that it can be drawn at any size`)
	}
	return true
}

// prefixed reports whether the name of the element has a prefix, as in <svg:path>.
func (s *svgCheck) prefixed() bool {
	name := bytes.TrimLeft(s.data[s.start:s.xml.InputOffset()], "<")
	end := bytes.IndexAny(name, " \t\n/>")
	return bytes.IndexByte(name[:max(end, 0)], ':') >= 0
}

func (s *svgCheck) checkAttribute(element string, a xml.Attr) {
	pos := s.attribute(a)
	name := a.Name.Local
	switch a.Name.Space {
	case "":
		if name == "xmlns" && a.Value == svgSpace {
			return
		}
	case "xmlns":
		if name == "xlink" && a.Value == xlinkSpace {
			return
		}
		s.fault(pos, "the namespace %s is not allowed: remove it; save the file as plain SVG", name)
		return
	case xlinkSpace:
		if name != "href" {
			name = "xlink:" + name
		}
	case xmlSpace:
		if name == "space" {
			return
		}
		name = "xml:" + name
	default:
		name = a.Name.Space + ":" + name
	}
	form := svgAttributes[name]
	switch {
	case form == nil:
		s.fault(pos, "attribute %s of <%s> is not allowed: remove it, or save the file as plain SVG", name, element)
	case name == "href" && !form.MatchString(a.Value):
		s.fault(pos, "%s of <%s> leads out of the file: write # and the id of a gradient, or remove it", name, element)
	case name == "viewBox" && !form.MatchString(a.Value):
		s.fault(pos, "viewBox is %q: write four numbers, the last two above 0, such as 0 0 32 32", cutValue(a.Value))
	case !form.MatchString(a.Value):
		s.fault(pos, "%s of <%s> is %q: only numbers, words, colours, transforms and url(#id) are allowed", name, element, cutValue(a.Value))
	case s.inside > 0 && (name == "mask" || name == "clip-path") && strings.Contains(a.Value, "("):
		s.fault(pos, "%s of <%s> is in a mask or a clip: %s", name, element, maskAdvice)
	}
}

// attribute returns the position of an attribute in the current token, or that of the token if it does not find
// it.
func (s *svgCheck) attribute(a xml.Attr) position {
	token := s.data[s.start:s.xml.InputOffset()]
	for i := 1; i < len(token); i++ {
		rest := token[i:]
		if !bytes.HasPrefix(rest, []byte(a.Name.Local)) || strings.IndexByte(" \t\n:", token[i-1]) < 0 {
			continue
		}
		if after := bytes.TrimLeft(rest[len(a.Name.Local):], " \t\n"); len(after) > 0 && after[0] == '=' {
			return s.positionOf(s.start + i)
		}
	}
	return s.positionOf(s.start)
}

func firstWord(s string) string {
	if words := strings.Fields(s); len(words) > 0 {
		return cutValue(words[0])
	}
	return ""
}
