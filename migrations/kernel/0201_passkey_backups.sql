-- Whether a passkey may be kept elsewhere than on its device. Authenticators say so with each signature, and it never changes: a
-- signature that says otherwise is not by this passkey (WebAuthn, 7.2).
--
-- Safe from: 1.0.0
-- Locks: kernel.passkeys against everything, for a moment

-- Null for those that were added before, until they next sign in.
ALTER TABLE kernel.passkeys ADD COLUMN may_be_backed_up boolean;

GRANT UPDATE (may_be_backed_up) ON kernel.passkeys TO learntrack_auth;

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0201_passkey_backups.sql') ON CONFLICT DO NOTHING;
