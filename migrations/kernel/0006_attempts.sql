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

-- Where an account has signed in from: what strangers try elsewhere does not hold its owner up there.
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
