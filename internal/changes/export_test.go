package changes

// NewPage is what tests compare pages of the database with.
var NewPage = newPage
