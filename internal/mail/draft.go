package mail

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/locale"
)

// A Service is the sender: the operator's name for the service, its address and its look.
type Service struct {
	Name    string // the host of BaseURL if ""
	BaseURL string
	Look    Look // our default look if zero
}

func (s Service) look() Look {
	if s.Look == (Look{}) {
		return NewLook("", nil)
	}
	return s.Look
}

func (s Service) name() string {
	if s.Name != "" {
		return s.Name
	}
	if u, err := url.Parse(s.BaseURL); err == nil && u.Host != "" {
		return u.Host
	}
	return "API"
}

// A Header is common to all messages: the sender, the recipient, the language and the message's ID.
type Header struct {
	Service  Service
	To       string // an e-mail address
	Language string // "en"; anything else is French
	ID       string // the message's ID, see Message
}

// A draft is a message that is being composed, block by block, in the language of its recipient.
type draft struct {
	locale.Writer // of texts
	header        Header
	subject       string
	blocks        []block
}

// draft begins a message with its subject and a greeting.
func (h Header) draft(subject string, args ...any) *draft {
	d := &draft{Writer: locale.NewWriter(locale.Tagged(h.Language), texts), header: h}
	d.subject = d.Must(subject, args...)
	d.text("mail.hello")
	return d
}

// text adds a paragraph.
func (d *draft) text(name string, args ...any) { d.add(block{Text: d.Must(name, args...)}) }

// small adds a paragraph in small print.
func (d *draft) small(name string, args ...any) {
	d.add(block{Text: d.Must(name, args...), Small: true})
}

// button adds a link shown as a button, unless the link is "".
func (d *draft) button(name, link string) {
	if link != "" {
		d.add(block{Label: d.Must(name), Link: link})
	}
}

// facts adds a list, unless it is empty.
func (d *draft) facts(list ...fact) {
	if len(list) > 0 {
		d.add(block{Facts: list})
	}
}

// fact returns a line of a list.
func (d *draft) fact(name, value string) fact { return fact{Name: d.Must(name), Value: value} }

func (d *draft) add(b block) { d.blocks = append(d.blocks, b) }

// message renders the draft.
func (d *draft) message() Message {
	c := content{
		Language: fmt.Sprint(d.Language), Colon: d.Must("mail.colon"), Subject: d.subject,
		Name: d.header.Service.name(), BaseURL: d.header.Service.BaseURL, Blocks: d.blocks,
		Look: d.header.Service.look(),
	}
	return Message{To: d.header.To, Subject: d.subject, Text: c.text(), HTML: c.html(), Logo: c.Logo, ID: d.header.ID}
}

const nbsp = "\u00a0"

// time writes a time: 15 novembre 2026 à 9 h 40 UTC, 15 November 2026, 09:40 UTC. Non-breaking spaces keep the
// date on one line.
func (d *draft) time(t time.Time) string {
	t = t.UTC()
	return d.Must("mail.time", strings.ReplaceAll(d.Date(t), " ", nbsp), d.clock(t))
}

// clock writes a time of the day: 9 h 40 UTC or 0 h UTC, 09:40 UTC.
func (d *draft) clock(t time.Time) string {
	return d.Clock(t.UTC()) + nbsp + "UTC"
}
