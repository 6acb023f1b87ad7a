package billing

// A Scheme is the set of VAT rules that the seller sells under.
type Scheme string

// The schemes.
const (
	// Standard is for a seller who is registered for VAT at home and, for customers without a VAT number in other
	// member states, in the One-Stop Shop.
	Standard Scheme = "standard"
	// SmallSeller is for a seller with less than 10,000 € a year from customers without a VAT number in other member
	// states: they pay the seller's rate (article 59c of Directive 2006/112/EC).
	SmallSeller Scheme = "small_seller"
	// Franchise is for a French seller who is exempt from VAT (article 293 B of the CGI).
	Franchise Scheme = "franchise"
)

// A Mention is a statement about VAT that the law requires on an invoice and the provider does not print by itself.
type Mention string

// The mentions.
const (
	MentionExempt  Mention = "exempt"  // « TVA non applicable, art. 293 B du CGI »
	MentionReverse Mention = "reverse" // « Autoliquidation »
)
