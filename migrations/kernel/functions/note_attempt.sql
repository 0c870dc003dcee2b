-- Kinds: 0 an account, 1 an account from a place it is known at, 2 an address, 3 an address that asks for resets,
-- 4 an account that resets are asked for.
CREATE OR REPLACE FUNCTION kernel.attempt_slot(kind integer, name text) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN kind * 65536 + (pg_catalog.hashtextextended(pg_catalog.lower(name), 0) & 65535)::integer;

-- Counts an attempt, unless it came too early. The one that makes `free` has the next wait `pause` seconds, each after
-- it twice as long, `longest` seconds at most.
-- Returns 0, or how many seconds too early it came.
CREATE OR REPLACE FUNCTION kernel.note_attempt(
    kind integer, name text, free integer, pause double precision, longest double precision
) RETURNS double precision
    LANGUAGE sql STRICT SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    WITH noted AS (
        INSERT INTO public.attempts AS a (slot, count, last_at, not_before)
        VALUES (
            kernel.attempt_slot(kind, name), 1, now(),
            CASE WHEN free <= 1 THEN now() + make_interval(secs => pause) END)
        ON CONFLICT (slot) DO UPDATE SET
            count = CASE WHEN a.last_at > now() - interval '15 minutes' THEN least(a.count + 1, 1000000) ELSE 1 END,
            last_at = now(),
            not_before = CASE
                WHEN a.last_at > now() - interval '15 minutes' AND a.count + 1 >= free
                    THEN now() + make_interval(secs => least(longest, pause * 2 ^ least(a.count + 1 - free, 20)))
            END
        -- Attempts that set out together count once past the limit, not each with twice the pause of the one before.
        WHERE a.not_before IS NULL OR a.not_before <= now()
        RETURNING 1
    )
    SELECT CASE
        WHEN EXISTS (SELECT FROM noted) THEN 0
        ELSE coalesce(
            (
                SELECT greatest(extract(epoch FROM a.not_before - now()), 0)::double precision
                FROM public.attempts a WHERE a.slot = kernel.attempt_slot(kind, name)
            ), pause)
    END;
END;

REVOKE EXECUTE ON FUNCTION kernel.note_attempt(integer, text, integer, double precision, double precision) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kernel.note_attempt(integer, text, integer, double precision, double precision)
    TO learntrack_auth;

SELECT kernel.note_file('kernel', 'functions/note_attempt.sql', '6729aef2fbe0f52e');
