-- compatible: 1
-- +goose Up

-- Invoices that were paid and credit notes, by the ids that the payment provider gave them: each is mailed once. What they
-- say is not kept. A row outlives its account, whose last invoice is mailed all the same; it is deleted after 90 days. An
-- older program mails none.
CREATE TABLE billing_documents (
    id         text PRIMARY KEY,
    kind       text NOT NULL CHECK (kind ~ '^[a-z_]+$'),
    account_id uuid NOT NULL REFERENCES accounts (id),
    found_at   timestamptz NOT NULL,
    done_at    timestamptz -- mailed, or not to be
);
CREATE INDEX billing_documents_account ON billing_documents (account_id);
CREATE INDEX billing_documents_found ON billing_documents (found_at);

-- +goose Down

DROP TABLE billing_documents;
