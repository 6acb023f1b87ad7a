package settings

import (
	"strings"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/portal/page"
)

// A switchBox is the box of a switch in the form of preferences.
type switchBox struct {
	fields switchFields
	Text   string
	On     bool
	Was    bool // it was on when the form was rendered
}

// Name returns the name of the box.
func (b switchBox) Name() string { return b.fields.on }

// WasName returns the name of the field that says that the switch was on.
func (b switchBox) WasName() string { return b.fields.was }

// switchFields are the names of the fields of a switch. The release before has the same.
type switchFields struct{ on, was string }

func fieldsOf(name account.Switch) switchFields {
	field := strings.ReplaceAll(string(name), "_", "-")
	return switchFields{field, "was-" + strings.TrimPrefix(field, "mail-")}
}

// switchBoxes returns the boxes of all switches, as they are and as they were when the form was rendered.
func switchBoxes(r *page.Request, is, was account.Settings) []switchBox {
	var boxes []switchBox
	for _, name := range account.Switches() {
		fields := fieldsOf(name)
		boxes = append(boxes, switchBox{fields, r.Text.Must("settings." + fields.on), *is.Switch(name), *was.Switch(name)})
	}
	return boxes
}

// typed returns the settings of the form, as they are and as they were when it was rendered. Another tab may have
// changed them since.
func typed(r *page.Request) (is, was account.Settings) {
	is.Language, was.Language = account.Language(r.Field("language")), account.Language(r.Form.Get("was-language"))
	for _, name := range account.Switches() {
		fields := fieldsOf(name)
		*is.Switch(name), *was.Switch(name) = r.Form.Has(fields.on), r.Form.Has(fields.was)
	}
	return is, was
}

// SavePreferences sets the language and which mail is sent, and continues in that language. It sets only what
// was changed in the form, so that it does not undo another tab's change.
func (p *Pages) SavePreferences(r *page.Request) (*page.Answer, error) {
	a := r.Account
	is, was := typed(r)
	if !r.Form.Has("was-language") { // the page was rendered by an older release
		was = a.Settings
	}
	language, err := account.ParseLanguage(string(is.Language))
	if err != nil {
		return p.invalid(r, "language", "settings.error.language", func(b *settingsBody) {
			b.WasLanguage, b.Mails = was.Language, switchBoxes(r, is, was)
		})
	}
	for _, name := range account.Switches() {
		if on := *is.Switch(name); on != *was.Switch(name) {
			if err := p.Accounts.SetSwitch(r.Context(), r.By, a.ID, name, on); err != nil {
				return nil, err
			}
		}
	}
	if language == was.Language {
		language = a.Language
	} else if err := p.Accounts.SetLanguage(r.Context(), r.By, a.ID, language); err != nil {
		return nil, err
	}
	return page.GoTo(address.Settings.At(locale.Tagged(string(language))), "preferences-saved")
}
