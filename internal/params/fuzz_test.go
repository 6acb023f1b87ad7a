package params_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/params"
)

// again reports whether the form of what was read is read as the same.
func again[T interface {
	comparable
	Values() url.Values
}](t *testing.T, parse func(string) (T, error), first T, page string) {
	t.Helper()
	values := first.Values()
	if page != "" {
		values.Set("page", page)
	}
	second, err := parse(values.Encode())
	if err != nil || second != first {
		t.Errorf("%+v is written as %q, which is read as %+v, %v", first, values.Encode(), second, err)
	}
}

// FuzzParse reads any query string with every reader: it is refused with the parameter at fault, or has a form that is
// read as the same.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "page=2&limit=3", "page=1&page=2", "limit=%zz", "&&&", "=", "%", "page=1;limit=2", "a[]=1&b.c=2",
		"sort=name_asc&category=code,image&score_min=7.5&obsolescence_max=5&price_max=12.5&updated_since=2026-01-31&pricing=payant&icp=mixte",
		"score_min=1e400", "score_min=0x1p-2", "score_min=-0", "obsolescence_max=5e-324", "page=9223372036854775807", "category=%FF%FE",
		"q=l%27outil+d", "q=%20", "slugs=zebre,ame,zebre", "slugs=a,,b", "slugs=%00", "reason=mort",
		"since=1042-9f2c41d07a3be615&type=tool.updated,price.changed&limit=1000", "since=0", "since=-1",
		"outils=etau,rabot&categorie=code", "tools=a&tools=b", "outils=a&tools=b", "outils=b,a&q=%C3%89tau,+lime",
		"items=tournevis,pkg:npm/a%252Cb,Ocrelle", "items=a,a",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		read := func(err error) bool {
			if _, refused := errors.AsType[*params.RefusedError](err); err != nil && !refused {
				t.Errorf("%q is refused without the parameter at fault: %v", query, err)
			}
			return err == nil
		}
		page := url.Values{}
		if parsed, err := url.ParseQuery(query); err == nil {
			page = parsed
		}
		if p, err := params.ParseTools(query); read(err) {
			again(t, params.ParseTools, p, page.Get("page"))
		}
		if p, err := params.ParseComparisons(query); read(err) {
			again(t, params.ParseComparisons, p, page.Get("page"))
		}
		if p, err := params.ParsePrices(query); read(err) {
			again(t, params.ParsePrices, p, page.Get("page"))
		}
		if p, err := params.ParseCemetery(query); read(err) {
			again(t, params.ParseCemetery, p, page.Get("page"))
		}
		if p, err := params.ParseEndings(query); read(err) {
			again(t, params.ParseEndings, p, page.Get("page"))
		}
		if p, err := params.ParseChanges(query); read(err) {
			again(t, params.ParseChanges, p, "")
		}
		_, err := params.ParseFindings(query)
		read(err)
		_, err = params.ParseCompare(query)
		read(err)
		_, err = params.ParseBill(query)
		read(err)
		_, err = params.ParseSearch(query)
		read(err)
		_, err = params.ParseJournal(query)
		read(err)
		_, err = params.ParseSideBySide(query)
		read(err)
		if w, err := params.ParseWatch(query); read(err) {
			again, err := params.ParseWatch(strings.TrimPrefix(w.In(locale.French), "?"))
			if w.Exact = true; err != nil || again != w {
				t.Errorf("%+v is written as %q, which is read as %+v, %v", w, w.In(locale.French), again, err)
			}
			w.Names()
		}
	})
}
