-- Who has asked for an invitation, for its mail.
--
-- Safe from: 1.0.0
-- Locks: kernel.invitations against everything and users against writes, for a moment

ALTER TABLE kernel.invitations ADD COLUMN invited_by bigint
    CONSTRAINT invitations_invited_by_fkey REFERENCES public.users (id) ON DELETE SET NULL;

CREATE INDEX invitations_invited_by_idx ON kernel.invitations (invited_by);
COMMENT ON INDEX kernel.invitations_invited_by_idx IS 'foreign key';

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0200_inviters.sql') ON CONFLICT DO NOTHING;
