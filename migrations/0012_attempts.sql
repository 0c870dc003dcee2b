-- How often somebody may try: failed sign-ins, and requests to reset a password. One count for all servers on this
-- database, written by the role that signs people in.

-- A fixed number of slots for each kind of count: whoever makes names up fills slots, not the disk. Two names that
-- share a slot share a count, which slows somebody down for a moment at worst. What is counted is forgotten after a
-- quarter of an hour, so that a crash may forget it too.
CREATE UNLOGGED TABLE public.attempts (
    slot integer CONSTRAINT attempts_pkey PRIMARY KEY
        CONSTRAINT attempts_slot_check CHECK (slot BETWEEN 0 AND 5 * 65536 - 1),
    count integer NOT NULL,
    last_at timestamptz NOT NULL,
    -- Until then an attempt is refused without being made.
    not_before timestamptz
) WITH (fillfactor = 50);

-- Kinds: 0 an account, 1 an account from a place it is known at, 2 an address, 3 an address that asks for resets,
-- 4 an account that resets are asked for.
CREATE FUNCTION public.attempt_slot(kind integer, name text) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN kind * 65536 + (pg_catalog.hashtextextended(pg_catalog.lower(name), 0) & 65535)::integer;

-- Counts an attempt, unless it came too early. The one that makes `free` has the next wait `pause` seconds, each after
-- it twice as long, `longest` seconds at most.
-- Returns 0, or how many seconds too early it came.
CREATE FUNCTION public.note_attempt(
    kind integer, name text, free integer, pause double precision, longest double precision
) RETURNS double precision
    LANGUAGE sql STRICT SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    WITH noted AS (
        INSERT INTO public.attempts AS a (slot, count, last_at, not_before)
        VALUES (
            public.attempt_slot(kind, name), 1, now(),
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
                FROM public.attempts a WHERE a.slot = public.attempt_slot(kind, name)
            ), pause)
    END;
END;

-- Where an account has signed in from: what strangers try elsewhere does not hold its owner up there.
CREATE TABLE public.known_places (
    user_id bigint CONSTRAINT known_places_user_id_fkey REFERENCES public.users (id) ON DELETE CASCADE,
    -- An IPv4 address, or the first half of an IPv6 address.
    network text,
    last_used_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT known_places_pkey PRIMARY KEY (user_id, network)
);

REVOKE EXECUTE ON FUNCTION public.note_attempt(integer, text, integer, double precision, double precision) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION public.note_attempt(integer, text, integer, double precision, double precision)
    TO learntrack_auth;
GRANT SELECT, INSERT, UPDATE, DELETE ON public.attempts, public.known_places TO learntrack_auth;

ALTER TABLE public.attempts ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.known_places ENABLE ROW LEVEL SECURITY;
CREATE POLICY attempts_auth ON public.attempts TO learntrack_auth USING (true);
CREATE POLICY known_places_auth ON public.known_places TO learntrack_auth USING (true);

INSERT INTO public.learntrack_migrations (name) VALUES ('0012_attempts.sql') ON CONFLICT DO NOTHING;
