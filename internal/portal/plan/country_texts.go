package plan

import "github.com/palmares-hq/palmares/internal/layout"

// countryTexts are the countries of the list, by the codes of ISO 3166.
var countryTexts = layout.Texts{
	"country.AT": {"Autriche", "Austria"},
	"country.BE": {"Belgique", "Belgium"},
	"country.BG": {"Bulgarie", "Bulgaria"},
	"country.CY": {"Chypre", "Cyprus"},
	"country.CZ": {"Tchéquie", "Czechia"},
	"country.DE": {"Allemagne", "Germany"},
	"country.DK": {"Danemark", "Denmark"},
	"country.EE": {"Estonie", "Estonia"},
	"country.ES": {"Espagne", "Spain"},
	"country.FI": {"Finlande", "Finland"},
	"country.FR": {"France", "France"},
	"country.GR": {"Grèce", "Greece"},
	"country.HR": {"Croatie", "Croatia"},
	"country.HU": {"Hongrie", "Hungary"},
	"country.IE": {"Irlande", "Ireland"},
	"country.IT": {"Italie", "Italy"},
	"country.LT": {"Lituanie", "Lithuania"},
	"country.LU": {"Luxembourg", "Luxembourg"},
	"country.LV": {"Lettonie", "Latvia"},
	"country.MT": {"Malte", "Malta"},
	"country.NL": {"Pays-Bas", "Netherlands"},
	"country.PL": {"Pologne", "Poland"},
	"country.PT": {"Portugal", "Portugal"},
	"country.RO": {"Roumanie", "Romania"},
	"country.SE": {"Suède", "Sweden"},
	"country.SI": {"Slovénie", "Slovenia"},
	"country.SK": {"Slovaquie", "Slovakia"},
	"country.ZZ": {"Hors de l’Union européenne", "Outside the European Union"},
}
