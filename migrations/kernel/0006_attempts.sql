-- Counts of failed sign-ins and of requests to reset a password, by which they are throttled. All servers on this database
-- share the counts, which the role that signs people in writes.
--
-- Safe from: 1.0.0
-- Locks: users against writes, for a moment; all else is new

-- A fixed number of slots for each kind of count: invented names fill slots, not the disk. Two names that share
-- a slot share a count, which delays an attempt for a moment at worst. Counts expire after a quarter of an hour, so it
-- does no harm that a crash loses them.
CREATE UNLOGGED TABLE public.attempts (
    slot integer CONSTRAINT attempts_pkey PRIMARY KEY
        CONSTRAINT attempts_slot_check CHECK (slot BETWEEN 0 AND 5 * 65536 - 1),
    count integer NOT NULL,
    last_at timestamptz NOT NULL,
    -- Until then an attempt is refused without a check of the password.
    not_before timestamptz
) WITH (fillfactor = 50);

-- The networks that an account has signed in from. They have counts of their own, so that failures elsewhere do not
-- delay the owner.
CREATE TABLE public.known_places (
    user_id bigint CONSTRAINT known_places_user_id_fkey REFERENCES public.users (id) ON DELETE CASCADE,
    -- An IPv4 address, or the first half of an IPv6 address.
    network text,
    last_used_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT known_places_pkey PRIMARY KEY (user_id, network)
);

COMMENT ON INDEX public.attempts_pkey IS 'primary key';
COMMENT ON INDEX public.known_places_pkey IS 'primary key';

GRANT SELECT, INSERT, UPDATE, DELETE ON public.attempts, public.known_places TO learntrack_auth;

ALTER TABLE public.attempts ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.known_places ENABLE ROW LEVEL SECURITY;
CREATE POLICY attempts_auth ON public.attempts TO learntrack_auth USING (true);
CREATE POLICY known_places_auth ON public.known_places TO learntrack_auth USING (true);

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0006_attempts.sql') ON CONFLICT DO NOTHING;
