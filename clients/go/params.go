package palmares

import (
	"net/url"
	"reflect"
	"strconv"
	"strings"
)

// Parameters are those of the contract. What is zero is not sent; what can be 0 is a pointer (see Ptr). What the contract
// joins by commas is a slice.

// ListToolsParams are the parameters of ListTools.
type ListToolsParams struct {
	Q               string       `json:"q"`
	Category        []string     `json:"category"`
	Slugs           []string     `json:"slugs"`
	PriceMax        *float64     `json:"price_max"` // euros a month
	UpdatedSince    string       `json:"updated_since"`
	Pricing         PricingModel `json:"pricing"`
	ICP             Icp          `json:"icp"`
	ScoreMin        *float64     `json:"score_min"`
	ObsolescenceMax *float64     `json:"obsolescence_max"`
	Sort            string       `json:"sort"` // score_desc, score_asc, name_asc, name_desc, price_asc or price_desc
	Page            int          `json:"page"` // where to begin
	Limit           int          `json:"limit"`
}

// ListComparisonsParams are the parameters of ListComparisons.
type ListComparisonsParams struct {
	Q        string `json:"q"`
	Category string `json:"category"`
	Page     int    `json:"page"`
	Limit    int    `json:"limit"`
}

// ListPricesParams are the parameters of ListPrices.
type ListPricesParams struct {
	Category string `json:"category"`
	Page     int    `json:"page"`
	Limit    int    `json:"limit"`
}

// ListRetiredToolsParams are the parameters of ListRetiredTools.
type ListRetiredToolsParams struct {
	Q        string           `json:"q"`
	Reason   RetirementReason `json:"reason"`
	Category string           `json:"category"`
	Page     int              `json:"page"`
	Limit    int              `json:"limit"`
}

// ListToolsOfDayParams are the parameters of ListToolsOfDay.
type ListToolsOfDayParams struct {
	On       string   `json:"on"` // required: the day, such as 2026-01-31
	Slugs    []string `json:"slugs"`
	Category string   `json:"category"`
	Page     int      `json:"page"`
	Limit    int      `json:"limit"`
}

// ListEndingsParams are the parameters of ListEndings.
type ListEndingsParams struct {
	Page  int `json:"page"`
	Limit int `json:"limit"`
}

// GetHistoryParams are the parameters of GetHistory.
type GetHistoryParams struct {
	Field HistoryField `json:"field"`
}

// ListFindingsParams are the parameters of ListFindings: Slugs or Items.
type ListFindingsParams struct {
	Slugs    []string `json:"slugs"`
	Items    []string `json:"items"` // slugs, package URLs, domains, URLs or names
	ScoreMin *float64 `json:"score_min"`
}

// GetBillParams are the parameters of GetBill. All are required.
type GetBillParams struct {
	Items []string `json:"items"` // as of ListFindings; passerelle-code*5 counts five times
	From  string   `json:"from"`  // the first month, such as 2026-03
	To    string   `json:"to"`    // the last month
}

// CompareToolsParams are the parameters of CompareTools.
type CompareToolsParams struct {
	Items []string `json:"items"` // two to five, as of ListFindings
}

// ListChangesParams are the parameters of ListChanges.
type ListChangesParams struct {
	Since    string   `json:"since"` // the Next or the Cursor to go on from, or 0; without it, the newest changes
	Type     []string `json:"type"`
	Category []string `json:"category"`
	Slugs    []string `json:"slugs"`
	Limit    int      `json:"limit"`
}

// queryOf returns the query of parameters, which are a struct.
func queryOf(params any) url.Values {
	q := url.Values{}
	v := reflect.ValueOf(params)
	for i := range v.NumField() {
		field, name := v.Field(i), v.Type().Field(i).Tag.Get("json")
		if field.IsZero() {
			continue
		}
		switch one := reflect.Indirect(field); one.Kind() {
		case reflect.Float64:
			q.Set(name, strconv.FormatFloat(one.Float(), 'f', -1, 64))
		case reflect.Int:
			q.Set(name, strconv.FormatInt(one.Int(), 10))
		case reflect.Slice:
			parts := make([]string, one.Len())
			for i := range parts { // the service splits the list after it was decoded
				parts[i] = strings.ReplaceAll(one.Index(i).String(), ",", "%2C")
			}
			q.Set(name, strings.Join(parts, ","))
		default:
			q.Set(name, one.String())
		}
	}
	return q
}
