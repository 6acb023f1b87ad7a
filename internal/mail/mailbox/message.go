package mailbox

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Message is a received mail, parsed.
type Message struct {
	Number  int // counted from 1
	At      time.Time
	From    string   // the envelope's
	To      []string // the envelope's
	Header  mail.Header
	Subject string
	Text    string
	HTML    string
	Files   map[string]string // attached texts by file name; nil for none
	Links   []string          // the links of the text, then those that are only in the HTML
	Raw     []byte
}

// Parse parses a message. It understands plain text, HTML and multiparts of them.
func Parse(raw []byte) (Message, error) {
	received, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return Message{}, fmt.Errorf("reading the header: %w", err)
	}
	m := Message{Header: received.Header, Raw: raw}
	m.Subject, err = new(mime.WordDecoder).DecodeHeader(received.Header.Get("Subject"))
	if err != nil {
		return Message{}, fmt.Errorf("decoding the subject: %w", err)
	}
	if err := m.read(textproto.MIMEHeader(received.Header), received.Body); err != nil {
		return Message{}, err
	}
	m.Links = links(m.Text, m.HTML)
	return m, nil
}

// read reads a part, or the parts within it.
func (m *Message) read(header textproto.MIMEHeader, body io.Reader) error {
	kind, params, err := mime.ParseMediaType(header.Get("Content-Type"))
	switch {
	case header.Get("Content-Type") == "":
		kind = "text/plain"
	case err != nil:
		return fmt.Errorf("parsing the content type: %w", err)
	}
	if strings.HasPrefix(kind, "multipart/") {
		return m.readParts(multipart.NewReader(body, params["boundary"]))
	}
	switch strings.ToLower(header.Get("Content-Transfer-Encoding")) {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	content, err := io.ReadAll(body)
	if err != nil {
		return fmt.Errorf("decoding a part: %w", err)
	}
	plain := strings.ReplaceAll(string(content), "\r\n", "\n")
	disposition, of, _ := mime.ParseMediaType(header.Get("Content-Disposition")) // a part without one is shown inline
	if disposition == "attachment" {
		if m.Files == nil {
			m.Files = make(map[string]string)
		}
		m.Files[of["filename"]] = plain
		return nil
	}
	switch kind {
	case "text/plain":
		m.Text += plain
	case "text/html":
		m.HTML += plain
	}
	return nil
}

func (m *Message) readParts(parts *multipart.Reader) error {
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading a part: %w", err)
		}
		if err := m.read(part.Header, part); err != nil {
			return err
		}
	}
}

var (
	link = regexp.MustCompile(`https?://[^\s<>"]+`)
	href = regexp.MustCompile(`href="([^"]*)"`)
)

func links(text, page string) (found []string) {
	for _, at := range FindLinks(text) {
		found = append(found, text[at[0]:at[1]])
	}
	for _, match := range href.FindAllStringSubmatch(page, -1) {
		if url := html.UnescapeString(match[1]); !slices.Contains(found, url) {
			found = append(found, url)
		}
	}
	return found
}

// FindLinks returns the start and end offsets of each link in a text, without closing punctuation.
func FindLinks(text string) [][]int {
	found := link.FindAllStringIndex(text, -1)
	for _, at := range found {
		at[1] = at[0] + len(strings.TrimRight(text[at[0]:at[1]], ".,;:!?)]»"))
	}
	return found
}
