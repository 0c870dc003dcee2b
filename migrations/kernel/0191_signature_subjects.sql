-- What a document is about, for the mails and the page; and for whom each signatory signs.
--
-- Safe from: 1.0.0
-- Locks: kernel.signatures and kernel.signatories, for a moment

ALTER TABLE kernel.signatures ADD COLUMN subject text;
-- One of those that the domain declares; null if the call has not said it.
ALTER TABLE kernel.signatories ADD COLUMN capacity text;

GRANT SELECT (capacity) ON kernel.signatories TO learntrack_user, learntrack_admin;

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0191_signature_subjects.sql') ON CONFLICT DO NOTHING;
