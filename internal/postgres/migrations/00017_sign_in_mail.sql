-- compatible: 1
-- +goose Up

-- A request for a sign-in mail waits for its turn: what releases it inserts the job. Rows of an older
-- program have their job from the start and wait for nothing. Networks and recipients are keyed hashes.
ALTER TABLE sign_ins
    ADD COLUMN recipient   bytea,       -- of the address without its tag
    ADD COLUMN net48       bytea,       -- of the networks that asked, from the widest on; an IPv4 address is all three
    ADD COLUMN net56       bytea,
    ADD COLUMN net64       bytea,
    ADD COLUMN known       boolean,     -- the address has an account; null until it was looked at
    ADD COLUMN waiting     boolean NOT NULL DEFAULT false,
    ADD COLUMN released_at timestamptz, -- when it had its turn
    ADD COLUMN expires_at  timestamptz; -- of link and code; null: ten minutes after created_at

CREATE INDEX sign_ins_unsorted ON sign_ins (created_at) WHERE waiting AND known IS NULL;
CREATE INDEX sign_ins_turns ON sign_ins (known, net48, net56, net64, created_at) WHERE waiting;
CREATE INDEX sign_ins_released ON sign_ins (known, released_at) WHERE released_at IS NOT NULL;
CREATE INDEX sign_ins_released48 ON sign_ins (net48, released_at) WHERE released_at IS NOT NULL;
CREATE INDEX sign_ins_released56 ON sign_ins (net56, released_at) WHERE released_at IS NOT NULL;
CREATE INDEX sign_ins_released64 ON sign_ins (net64, released_at) WHERE released_at IS NOT NULL;
CREATE INDEX sign_ins_email ON sign_ins (email, sent_at);

-- Mails to a mailbox within the last hour, of sign-ins and of changes of address.
CREATE TABLE address_mails (
    recipient bytea NOT NULL, -- a keyed hash of the address without its tag
    sent_at   timestamptz NOT NULL,
    change    boolean NOT NULL -- of address
);
CREATE INDEX address_mails_recipient ON address_mails (recipient, sent_at);
CREATE INDEX address_mails_sent ON address_mails (sent_at);

ALTER TABLE email_changes ADD COLUMN mailed_at timestamptz; -- when the mail to the new mailbox was counted

-- Wrong codes that were typed for an address within the last day, whether or not it has an account.
CREATE TABLE wrong_codes (
    address bytea NOT NULL, -- a keyed hash
    at      timestamptz NOT NULL
);
CREATE INDEX wrong_codes_address ON wrong_codes (address, at);
CREATE INDEX wrong_codes_at ON wrong_codes (at);

-- From which networks accounts were made within the last day, but not which accounts: a row for each
-- width.
CREATE TABLE sign_ups (
    network bytea NOT NULL, -- a keyed hash
    at      timestamptz NOT NULL
);
CREATE INDEX sign_ups_network ON sign_ups (network, at);
CREATE INDEX sign_ups_at ON sign_ups (at);

-- +goose Down

DROP TABLE sign_ups, wrong_codes, address_mails;
ALTER TABLE email_changes DROP COLUMN mailed_at;
ALTER TABLE sign_ins
    DROP COLUMN recipient, DROP COLUMN net48, DROP COLUMN net56, DROP COLUMN net64, DROP COLUMN known,
    DROP COLUMN waiting, DROP COLUMN released_at, DROP COLUMN expires_at;
DROP INDEX sign_ins_email;
