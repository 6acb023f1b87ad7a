package catalog

import (
	"crypto/sha256"
	"encoding/base64"
)

// A Document is a JSON body, ready to be sent, with a digest of its bytes.
type Document struct {
	Body []byte
	tag  tag
}

type tag [16]byte

// NewDocument makes a document of a JSON body, which must not change afterwards.
func NewDocument(body []byte) Document {
	return Document{Body: body, tag: shorten(sha256.Sum256(body))}
}

func shorten(sum [sha256.Size]byte) (t tag) {
	copy(t[:], sum[:])
	return t
}

// Tag identifies the document's bytes: equal tags mean equal bodies, on every node and across
// editions. Entity tags are made of it.
func (d Document) Tag() string { return base64.RawURLEncoding.EncodeToString(d.tag[:]) }
