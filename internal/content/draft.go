package content

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// openToWrite opens a directory to write items into it. It refuses one without catalog.yaml, which is probably
// the wrong directory.
func openToWrite(dir string) (*loader, error) {
	l, err := openLoader(dir, Options{})
	if err != nil {
		return nil, err
	}
	if _, err := l.root.Stat(catalogFile); err != nil {
		l.close()
		return nil, fmt.Errorf("%s has no %s: name the directory that holds it (%w)", dir, catalogFile, cause(err))
	}
	return l, nil
}

// A Draft is a file that was written for an editor to complete.
type Draft struct {
	File string  // relative to the content directory, with forward slashes
	Left []Fault // the faults that Load would report: what is left to fill in
}

// byLanguage is the hint of a text that may be in English too.
const byLanguage = "in French, or {fr: …, en: …}"

// ToolDraft holds what is known of a new tool, as an editor would write it. Any field may be empty.
type ToolDraft struct {
	Name, Domain, Category, ICP, Pricing, Price, Tagline string
	Score, Verifiability, Obsolescence, Tier, Mainstream string
	Packages                                             []string
	Source                                               string // URL of the page that states the price
}

// values returns the front matter values by key. today becomes the day on which the price's source was checked.
func (t ToolDraft) values(today catalog.Date) map[string]string {
	values := map[string]string{
		"name": t.Name, "domain": t.Domain, "packages": strings.Join(t.Packages, "\n"), "category": t.Category, "icp": t.ICP,
		"pricing": t.Pricing, "price": t.Price, "tagline": t.Tagline, "score": t.Score, "verifiability": t.Verifiability,
		"obsolescence": t.Obsolescence, "tier": t.Tier, "mainstream": t.Mainstream,
	}
	if t.Source != "" {
		values["sources"] = "price:\n    url: " + yamlText(t.Source) + "\n    checked: " + string(today)
	}
	return values
}

// NewTool writes tools/<slug>.md with every key, for an editor to complete. It never overwrites a file, and
// refuses values that Load would refuse.
func NewTool(dir, slug string, known ToolDraft) (Draft, error) {
	l, err := openToWrite(dir)
	if err != nil {
		return Draft{}, err
	}
	defer l.close()
	if err := l.requireFree(toolFolder, slug); err != nil {
		return Draft{}, err
	}
	if l.has(retiredFolder, slug) {
		return Draft{}, fmt.Errorf("%s is there: a slug cannot be in both; remove that file first if the tool lives again", itemPath(retiredFolder, slug))
	}
	categories, err := l.categorySlugs()
	if err != nil {
		return Draft{}, err
	}
	switch {
	case known.Category == "" && len(categories) == 1:
		known.Category = categories[0]
	case known.Category != "" && !slices.Contains(categories, known.Category):
		return Draft{}, fmt.Errorf("unknown category %q: %s There are: %s",
			known.Category, didYouMean(known.Category, categories, "it is not in the list."), strings.Join(categories, ", "))
	}
	values := known.values(catalog.DateOf(l.now))
	text := frontMatter(toolKeys, values, map[string]string{
		"category":     oneOf(categories),
		"icp":          oneOf(catalog.ICPs()),
		"pricing":      oneOf(catalog.Pricings()),
		"price":        "such as 20 €/mois, 199,90 €/an, 0 €/mois",
		"since":        "the day on which the price changed, if that is earlier than today",
		"price_next":   "an announced price, with its day and its source",
		"tagline":      byLanguage,
		"obsolescence": "0 (fresh) to 10 (obsolete)",
		"tier":         fmt.Sprintf("1 (the highest) to %d", maxTier),
		"mainstream":   "true or false",
	})
	if err := l.valueErrors(slug, text, values); err != nil {
		return Draft{}, err
	}
	return l.draft(toolFolder, slug, text)
}

// valueErrors returns the errors that Load would report for the lines of given values; nil if there are none.
func (l *loader) valueErrors(slug, text string, values map[string]string) error {
	lines := strings.Split(text, "\n")
	var errs []error
	for _, f := range l.faultsOf(toolFolder, slug, text) {
		if f.Warning {
			continue
		}
		at := min(f.Line, len(lines)) - 1
		for at > 0 && strings.HasPrefix(lines[at], " ") {
			at-- // to the key that the line belongs to
		}
		if name, _, _ := strings.Cut(lines[at], ":"); values[name] != "" {
			errs = append(errs, errors.New(f.Message))
		}
	}
	return errors.Join(errs...)
}

// NewComparison writes comparatifs/<slug>.md, a draft comparison of tools a and b. When both are empty, it
// takes them from the slug if that names two living tools, as in lumen-ou-cobalt. It never overwrites a file.
func NewComparison(dir, slug, a, b string) (Draft, error) {
	l, err := openToWrite(dir)
	if err != nil {
		return Draft{}, err
	}
	defer l.close()
	if err := l.requireFree(comparisonFolder, slug); err != nil {
		return Draft{}, err
	}
	switch {
	case a == "" && b == "":
		a, b = l.sides(slug)
	case a == "" || b == "":
		return Draft{}, errors.New("one tool alone cannot be compared: name both, or none")
	case a == b:
		return Draft{}, fmt.Errorf("both tools are %q: name two", a)
	}
	title, winner := "", ""
	if a != "" && b != "" {
		nameA, err := l.livingName(a)
		if err != nil {
			return Draft{}, err
		}
		nameB, err := l.livingName(b)
		if err != nil {
			return Draft{}, err
		}
		winner = a + " or " + b
		if nameA != "" && nameB != "" {
			title = nameA + " ou " + nameB
		}
	}
	return l.draft(comparisonFolder, slug, frontMatter(comparisonKeys, map[string]string{
		"title": title, "tool_a": a, "tool_b": b, "status": string(draft),
	}, map[string]string{
		"title":  byLanguage,
		"winner": winner,
		"status": string(draft) + " or " + string(published),
	}))
}

// sides returns the two living tools that a slug such as lumen-ou-cobalt names, or empty strings.
func (l *loader) sides(slug string) (a, b string) {
	for _, between := range []string{"-ou-", "-vs-"} {
		for i := range len(slug) {
			a, isFirst := slug[:i], strings.HasPrefix(slug[i:], between)
			if !isFirst {
				continue
			}
			b := slug[i+len(between):]
			if a != b && catalog.ValidSlug(a) && catalog.ValidSlug(b) && l.has(toolFolder, a) && l.has(toolFolder, b) {
				return a, b
			}
		}
	}
	return "", ""
}

// livingName returns the name of a living tool; "" when its file does not have a valid one.
func (l *loader) livingName(slug string) (string, error) {
	if err := l.requireLiving(slug); err != nil {
		return "", err
	}
	e := itemEntry(toolFolder, slug)
	data, complaint := l.read(e, nil)
	if complaint != "" {
		return "", errors.New(Fault{File: e.path(), Line: 1, Column: 1, Message: complaint}.String())
	}
	o, _, _ := l.open(e.path(), data).item(toolKeys)
	if o.document == nil {
		return "", nil
	}
	return o.text("name", nameLimit), nil
}

// requireLiving returns an error unless slug is a living tool. The error tells the editor what to do.
func (l *loader) requireLiving(slug string) error {
	switch {
	case !catalog.ValidSlug(slug):
		return notASlug(slug)
	case l.has(toolFolder, slug):
		return nil
	case l.has(retiredFolder, slug):
		return fmt.Errorf("tool %q is retired: see %s", slug, itemPath(retiredFolder, slug))
	}
	entries := l.list(toolFolder)
	slugs := make([]string, len(entries))
	for i, e := range entries {
		slugs[i] = e.slug
	}
	return fmt.Errorf("unknown tool %q: %s Write the slug of a file in tools/", slug, didYouMean(slug, slugs, noSuchTool))
}

// requireFree returns an error if slug is not valid or the item's file already exists.
func (l *loader) requireFree(folder, slug string) error {
	switch {
	case !catalog.ValidSlug(slug):
		return notASlug(slug)
	case l.has(folder, slug):
		return fmt.Errorf("%s is there already: nothing was written", itemPath(folder, slug))
	}
	return nil
}

func notASlug(s string) error {
	return fmt.Errorf("%q is not a slug: use lower-case words joined by hyphens, %d characters at most%s", s, catalog.MaxSlug, slugExample(s))
}

func itemPath(folder, slug string) string { return folder + "/" + slug + itemExtension }

// itemEntry returns the entry of an item's file. The file was not listed, so it is marked as a link, which
// openEntry opens with care.
func itemEntry(folder, slug string) entry {
	return entry{folder: folder, name: slug + itemExtension, slug: slug, link: true}
}

// has reports whether anything, even a broken link, exists at the item's path.
func (l *loader) has(folder, slug string) bool {
	_, err := l.root.Lstat(itemPath(folder, slug))
	return err == nil
}

// categorySlugs returns the slugs in categories.yaml.
func (l *loader) categorySlugs() ([]string, error) {
	var slugs []string
	sound := l.single(categoriesFile, func(d *document) {
		for _, c := range d.categories() {
			slugs = append(slugs, c.Slug)
		}
	})
	if !sound {
		return nil, asError(l.faults)
	}
	return slugs, nil
}

// asError joins the faults into one error, a line each, leaving out warnings. It returns nil if there are none.
func asError(faults []Fault) error {
	var errs []error
	for _, f := range faults {
		if !f.Warning {
			errs = append(errs, errors.New(f.String()))
		}
	}
	return errors.Join(errs...)
}

// draft writes a new file and tells what is left to fill in.
func (l *loader) draft(folder, slug, text string) (Draft, error) {
	if err := l.create(folder, slug, text); err != nil {
		return Draft{}, err
	}
	return Draft{File: itemPath(folder, slug), Left: l.faultsOf(folder, slug, text)}, nil
}

// faultsOf returns the faults that Load would report for an item's file with that text, cross-checks aside.
func (l *loader) faultsOf(folder, slug, text string) []Fault {
	e := itemEntry(folder, slug)
	d := l.open(e.path(), []byte(text))
	d.decode(e, "")
	sortFaults(d.faults)
	return d.faults
}

// create writes a new item's file, and makes its folder if needed. It fails if the file exists, and removes one
// that it cannot write completely.
func (l *loader) create(folder, slug, text string) error {
	if err := l.root.Mkdir(folder, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("making the folder %s: %w", folder, cause(err))
	}
	path := itemPath(folder, slug)
	f, err := l.root.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, cause(err))
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = l.root.Remove(path)
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// bareForm matches what is written without quotes for a number, true or false, even if the value is wrong.
var bareForm = regexp.MustCompile(`^[+-]?[0-9][0-9.,]*$|^[a-z]+$`)

// frontMatter returns a front matter with every key, with its value or empty. An optional key without a value
// becomes a comment. A hint, if there is one, is a comment above its key.
func frontMatter(keys []key, values, hints map[string]string) string {
	var b strings.Builder
	b.WriteString(fence + "\n")
	for _, k := range keys {
		if hint := hints[k.name]; hint != "" {
			b.WriteString("# " + hint + "\n")
		}
		switch value := values[k.name]; {
		case value != "" && k.group:
			b.WriteString(k.name + ":\n  " + value + "\n")
		case value != "" && k.bare && bareForm.MatchString(value):
			b.WriteString(k.name + ": " + value + "\n")
		case value != "" && k.list: // one item a line
			b.WriteString(k.name + ":\n")
			for item := range strings.SplitSeq(value, "\n") {
				b.WriteString("  - " + yamlText(item) + "\n")
			}
		case value != "":
			b.WriteString(k.name + ": " + yamlText(value) + "\n")
		case k.optional:
			b.WriteString("# " + k.example + "\n")
		default:
			b.WriteString(k.name + ":\n")
		}
	}
	b.WriteString(fence + "\n")
	return b.String()
}

func oneOf[T ~string](words []T) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = string(w)
	}
	return "one of " + strings.Join(list, ", ")
}
