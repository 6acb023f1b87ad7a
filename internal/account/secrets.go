package account

import (
	"errors"
	"fmt"

	"github.com/palmares-hq/palmares/internal/secrets"
)

// What keys are derived for. Each purpose has a key of its own.
const (
	deletionPurpose = "palmares farewell addresses"
	changePurpose   = "palmares e-mail changes"
)

// ErrOtherSecret says that what a mail needs was made with another master secret than this process has:
// a process that has it can send the mail.
var ErrOtherSecret = errors.New("it was made with another PALMARES_SECRET than that of this node")

// ErrSealed says that a sealed address cannot be opened: it was sealed with another secret or for
// another account.
var ErrSealed = fmt.Errorf("the sealed address cannot be opened with PALMARES_SECRET: %w", ErrOtherSecret)

// addressSeals encrypt the addresses of deleted accounts for their last mail. An address opens for its
// account only.
func addressSeals(ring secrets.Ring) secrets.Seals { return ring.Seals(deletionPurpose) }

// openAddress decrypts a sealed address, or returns ErrSealed.
func openAddress(seals secrets.Seals, sealed []byte, accountID string) (string, error) {
	email, _, err := seals.Open(sealed, accountID)
	if err != nil {
		return "", ErrSealed
	}
	return email, nil
}
