-- Whether a passkey may be kept elsewhere than on its device. Authenticators say so with each signature, and it never changes: a
-- signature that says otherwise is not by this passkey (WebAuthn, 7.2).
--
-- Safe from: 1.0.0
-- Locks: kernel.passkeys against everything, for a moment

-- Null for those that were added before.
ALTER TABLE kernel.passkeys ADD COLUMN may_be_backed_up boolean;

-- Its successor has a parameter more. A new database has never had it.
DROP FUNCTION IF EXISTS kernel.add_passkey(bigint, text, bytea, bytea, bigint, text, bytea, timestamptz);

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0201_passkey_backups.sql') ON CONFLICT DO NOTHING;
