package postgres

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/palmares-hq/palmares/internal/handshake"
)

// A TLSError means that there is no connection because the server's TLS is not what the URL asks for.
type TLSError struct {
	fault string
	err   error
}

func (e *TLSError) Error() string { return "PostgreSQL " + e.fault + ": " + e.err.Error() }

func (e *TLSError) Unwrap() error { return e.err }

// explainTLS turns an error of connecting into a TLSError if TLS is the reason, and says what is wrong in
// words for operators. It returns any other error as it is.
func explainTLS(err error) error {
	if _, said := errors.AsType[*TLSError](err); said {
		return err
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); !ok {
		return err
	}
	fault := handshake.Fault(err, "sslrootcert in PALMARES_DATABASE_URL names the file with the authority's certificate")
	pg, refused := errors.AsType[*pgconn.PgError](err)
	switch {
	case fault != "":
	case strings.Contains(err.Error(), "server refused TLS connection"): // pgx has no type for it
		fault = "has no TLS, and PALMARES_DATABASE_URL wants it: switch it on there (ssl = on), or write another sslmode"
	case refused && wantsTLS(pg):
		fault = "takes no connection without TLS: take sslmode=disable out of PALMARES_DATABASE_URL"
	default:
		return err
	}
	return &TLSError{fault, err}
}

// wantsTLS reports whether a server has refused a connection because it is without TLS.
func wantsTLS(pg *pgconn.PgError) bool {
	return pg.Code == invalidAuthorization && strings.Contains(pg.Message, "no encryption")
}

// refuseUnchecked returns an error for a URL with sslrootcert and an sslmode that checks no certificate
// with it: anybody's certificate would be accepted.
func refuseUnchecked(address string, cfg *pgxpool.Config) error {
	if !strings.Contains(address, "sslrootcert") {
		return nil // a file of libpq's, in the home directory: not meant for us
	}
	offers := []*tls.Config{cfg.ConnConfig.TLSConfig}
	for _, f := range cfg.ConnConfig.Fallbacks {
		offers = append(offers, f.TLSConfig)
	}
	for _, offer := range offers {
		if offer == nil || offer.InsecureSkipVerify && offer.VerifyPeerCertificate == nil {
			return errors.New("PALMARES_DATABASE_URL has sslrootcert, and no sslmode with which certificates are checked: " +
				"write sslmode=verify-full")
		}
	}
	return nil
}

// unreadableFile says which file named by a URL cannot be used; "" if the error is about something else.
func unreadableFile(err error) string {
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Sprintf("it names a file that cannot be read: %v", file)
	}
	if strings.Contains(err.Error(), "unable to add CA to cert pool") { // pgx has no type for it
		return "the file that sslrootcert names has no certificate in it"
	}
	return ""
}
