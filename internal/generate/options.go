package generate

// Default leaves a count of Options to Write, as any negative number does.
const Default = -1

// Options say what Write makes.
type Options struct {
	Tools       int // at least 1
	Comparisons int // Default is half as many as tools
	Retired     int // Default is a fifth of the tools
	Seed        uint64

	// Progress, when set, is told now and then how many files are written, by
	// one goroutine at a time.
	Progress func(done, total int)
}

// A Summary counts what Write wrote.
type Summary struct {
	Categories  int
	Tools       int
	Scored      int
	Reviewed    int
	Comparisons int
	Drafts      int // among Comparisons
	Retired     int
	Files       int
	Bytes       int64
}
