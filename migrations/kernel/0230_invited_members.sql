-- Where there are several companies, who is entered as a member is invited: the person alone becomes a member, by the link of a mail.
--
-- Safe from: 1.0.0
-- Locks: users against everything, while it is written anew: a second for 100,000 members

-- As functions/company_keep.sql has it, which a database of before may lack.
CREATE OR REPLACE FUNCTION kernel.company_lock(mode text, VARIADIC tables regclass[]) RETURNS void
    LANGUAGE plpgsql SET lock_timeout = '200ms'
AS $$
DECLARE
    names text := (SELECT string_agg(t::text, ', ' ORDER BY t::oid) FROM unnest(tables) AS t);
BEGIN
    FOR attempt IN 1..600 LOOP
        BEGIN
            EXECUTE format('LOCK TABLE %s IN %s MODE', names, mode);
            RETURN;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            PERFORM pg_sleep(random() * 0.2);
        END;
    END LOOP;
    RAISE EXCEPTION 'other transactions keep the tables % locked', names
        USING ERRCODE = 'lock_not_available', HINT = 'Apply the migration again when they have ended.';
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.company_lock(text, regclass[]) FROM PUBLIC;

SELECT kernel.company_lock('ACCESS EXCLUSIVE', 'public.users');

-- Since when the person is a member; null while invited.
ALTER TABLE public.users ADD COLUMN joined_at timestamptz DEFAULT now();
ALTER TABLE public.users ADD COLUMN is_member boolean NOT NULL GENERATED ALWAYS AS (is_active AND joined_at IS NOT NULL) STORED;

COMMENT ON COLUMN public.users.joined_at IS 'since when the person is a member; null while invited';
COMMENT ON COLUMN public.users.is_member IS 'whether the person may act in the company';

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0230_invited_members.sql') ON CONFLICT DO NOTHING;
