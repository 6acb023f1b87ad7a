package billing

// A Scheme is the rules of VAT by which the seller sells.
type Scheme string

// The schemes.
const (
	// Standard is that of who is registered at home and, for customers without a VAT number in other member states, for
	// the One-Stop Shop.
	Standard Scheme = "standard"
	// SmallSeller is for less than 10,000 € a year to customers without a VAT number in other member states: they pay the
	// seller's rate (article 59c of Directive 2006/112/EC).
	SmallSeller Scheme = "small_seller"
	// Franchise is that of a French seller who is exempt (article 293 B of the CGI).
	Franchise Scheme = "franchise"
)

// A Mention is what the law wants on an invoice about VAT, and the provider does not write by itself.
type Mention string

// The mentions.
const (
	MentionExempt  Mention = "exempt"  // « TVA non applicable, art. 293 B du CGI »
	MentionReverse Mention = "reverse" // « Autoliquidation »
)
