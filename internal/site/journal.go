package site

var journalTexts = texts{
	"journal.title": {"Journal", "Journal"},
}

func viewJournal(r *request) (*document, error) {
	return &document{Title: r.must("journal.title"), Description: r.must("journal.title")}, nil
}

func parseJournal(string) (any, error) { return struct{}{}, nil }
