-- How often a member was deactivated. Access tokens say it, so that those from before a deactivation stay refused when the member is
-- activated again while they last.
--
-- Safe from: 1.0.0
-- Locks: users against everything, for a moment
SELECT kernel.company_lock('ACCESS EXCLUSIVE', 'public.users');
ALTER TABLE public.users ADD COLUMN deactivations bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN public.users.deactivations IS 'how often the member was deactivated, which ends its access tokens';

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0247_deactivations.sql') ON CONFLICT DO NOTHING;
