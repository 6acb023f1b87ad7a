package account

import (
	"errors"
	"fmt"

	"github.com/palmares-hq/palmares/internal/secrets"
)

// What keys are derived for. Each purpose has a key of its own.
const (
	farewellPurpose = "palmares farewell addresses"
	changePurpose   = "palmares e-mail changes"
)

// ErrOtherSecret says that what a mail needs was made with another master secret than this process has:
// a process that has it can send the mail.
var ErrOtherSecret = errors.New("it was made with another PALMARES_SECRET than that of this node")

// ErrSealed says that a sealed address cannot be opened: it was sealed with another secret or for
// another account.
var ErrSealed = fmt.Errorf("the sealed address cannot be opened with PALMARES_SECRET: %w", ErrOtherSecret)

// Secrets are the keys that accounts need, derived from the service's master secret. New addresses
// are sealed and new tokens derived with the current one; earlier ones still open and derive what
// they did before.
type Secrets struct {
	farewells secrets.Seals
	changes   secrets.Keys
	counts    signInKeys // as sign-ins have them
}

// NewSecrets derives the keys from the service's master secret and earlier ones.
func NewSecrets(master []byte, previous ...[]byte) (*Secrets, error) {
	ring, err := secrets.New(master, previous...)
	if err != nil {
		return nil, err
	}
	return &Secrets{
		farewells: ring.Seals(farewellPurpose), changes: ring.Keys(changePurpose), counts: newSignInKeys(master),
	}, nil
}

// recipient returns what stands for the mailbox of an address.
func (s *Secrets) recipient(email string) []byte { return s.counts.recipient(email) }

// sealEmail encrypts the address of an account. It opens for that account only.
func (s *Secrets) sealEmail(email, accountID string) []byte {
	return s.farewells.Seal(email, accountID)
}

// openEmail decrypts a sealed address, or returns ErrSealed.
func (s *Secrets) openEmail(sealed []byte, accountID string) (string, error) {
	email, _, err := s.farewells.Open(sealed, accountID)
	if err != nil {
		return "", ErrSealed
	}
	return email, nil
}
