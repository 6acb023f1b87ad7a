package site

const textType = "text/plain; charset=utf-8"

// rawRobots is robots.txt. All is for everybody, the API too: whoever reads data instead of pages
// costs less. A preview is for its editor alone.
func rawRobots(r *request) (string, []byte, error) {
	if r.files != nil {
		return textType, []byte("User-agent: *\nDisallow: /\n"), nil
	}
	return textType, []byte("User-agent: *\nAllow: /\n\nSitemap: " + r.base() + "/sitemap.xml\n"), nil
}
