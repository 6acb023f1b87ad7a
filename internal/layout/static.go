package layout

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base32"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"

	"github.com/palmares-hq/palmares/internal/web"
)

//go:embed static
var staticFiles embed.FS

// StaticPath is the path of the files that pages load.
const StaticPath = "/static/"

// A staticFile is a file that pages load. Its path has a hash of its bytes, so that browsers and
// caches may keep it for good.
type staticFile struct {
	path     string
	response *web.Response
}

// Static maps the names of files, without the hash, to the files.
type Static map[string]*staticFile

// Path returns the path of a file; "" if there is none.
func (s Static) Path(name string) string {
	if f := s[name]; f != nil {
		return f.path
	}
	return ""
}

var staticTypes = map[string]string{
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".svg":   "image/svg+xml",
	".woff2": "font/woff2",
}

var (
	comments = regexp.MustCompile(`(?s)/\*.*?\*/`)
	blanks   = regexp.MustCompile(`\s+`)
	loose    = regexp.MustCompile(`([{};,]) | ([{}])|(: )`)
)

// compact leaves out what only programmers read of stylesheets: comments and white space. No string of theirs has a comma,
// a semicolon, a colon or a brace with a space beside it.
func compact(css string) string {
	css = blanks.ReplaceAllString(comments.ReplaceAllString(css, ""), " ")
	return loose.ReplaceAllStringFunc(css, func(s string) string { return strings.Trim(s, " ") })
}

// newStatic reads the embedded files. It concatenates the stylesheets of static/css: they are several for programmers,
// but one file for browsers.
func newStatic() (Static, error) {
	files := make(Static)
	for _, pattern := range []string{"static/fonts/*", "static/*.*"} {
		names, err := fs.Glob(staticFiles, pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			body, err := staticFiles.ReadFile(name)
			if err != nil {
				return nil, err
			}
			files.add(path.Base(name), body)
		}
	}
	sheets, err := fs.Glob(staticFiles, "static/css/*.css")
	if err != nil {
		return nil, err
	}
	var css bytes.Buffer
	for _, name := range sheets {
		body, err := staticFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		css.Write(body)
	}
	linked, err := files.link(compact(css.String()))
	if err != nil {
		return nil, err
	}
	files.add("site.css", []byte(linked))
	return files, nil
}

// link replaces the names of fonts in a stylesheet, such as url("x.woff2"), by their paths.
func (s Static) link(css string) (string, error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(css, `url("`)
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		name, after, _ := strings.Cut(rest, `")`)
		f := s[name]
		if f == nil {
			return "", fmt.Errorf("the stylesheet names %q, which is no static file", name)
		}
		b.WriteString(`url("` + f.path + `")`)
		css = after
	}
}

var hashEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

func (s Static) add(name string, body []byte) {
	sum := sha256.Sum256(body)
	ext := path.Ext(name)
	hash := hashEncoding.EncodeToString(sum[:])[:12]
	f := &staticFile{
		path:     StaticPath + strings.TrimSuffix(name, ext) + "." + hash + ext,
		response: web.NewResponse(http.StatusOK, staticTypes[ext], web.TagOf(body), body),
	}
	if ext != ".woff2" { // WOFF2 is compressed already
		f.response.Compress()
	}
	s[name] = f
}

var cacheForever = web.NewField("Cache-Control", "public, max-age=31536000, immutable")

// Serve answers with the file at the path of the request. Nodes of two versions may be behind one load balancer, and a
// page from one may load its files from the other. So a path with an unknown hash gets this node's file of that name,
// which caches must revalidate. own has the operator's files, which come before a built-in file of the same name unless
// the path is exactly that of the latter.
func (s Static) Serve(w http.ResponseWriter, r *http.Request, own Static) error {
	asked := strings.TrimPrefix(r.URL.Path, StaticPath)
	ext := path.Ext(asked)
	name := strings.TrimSuffix(asked, ext)
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		name = name[:dot]
	}
	f := s[name+ext]
	if o := own[name+ext]; o != nil && (f == nil || f.path != r.URL.Path) {
		f = o
	}
	if f == nil {
		return NoSuchPage(r)
	}
	web.SetFields(w, staticHeaders...)
	if f.path == r.URL.Path {
		web.SetFields(w, cacheForever)
	} else {
		web.SetFields(w, CacheAsk)
	}
	f.response.Write(w, r)
	return nil
}
