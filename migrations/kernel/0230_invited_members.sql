-- Where there are several companies, who is entered as a member is invited: the person alone becomes a member, by the link of a mail.
--
-- Safe from: 1.0.0
-- Locks: users against everything, while it is written anew: a second for 100,000 members

-- Since when the person is a member; null while invited.
ALTER TABLE public.users ADD COLUMN joined_at timestamptz DEFAULT now();
ALTER TABLE public.users ADD COLUMN is_member boolean NOT NULL GENERATED ALWAYS AS (is_active AND joined_at IS NOT NULL) STORED;

COMMENT ON COLUMN public.users.joined_at IS 'since when the person is a member; null while invited';
COMMENT ON COLUMN public.users.is_member IS 'whether the person may act in the company';

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0230_invited_members.sql') ON CONFLICT DO NOTHING;
