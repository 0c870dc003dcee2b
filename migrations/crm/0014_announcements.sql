-- What was announced, to whom which mail was sent, and when: what the messages of this domain remember from one to the next.
-- No journal and no feed: the workers of the server alone read and write it.
--
-- Safe from: 1.0.0
-- Locks: users against writes, for a moment; all else is new

-- The sessions that were announced on Discord, or are to be. A row outlives its session until its message is struck through.
CREATE TABLE public.annonces (
    session_id bigint CONSTRAINT annonces_pkey PRIMARY KEY,
    -- The id of the message on Discord, once it is there.
    message varchar(20),
    -- Where it was posted. The organisme may have another webhook since, and only this one can edit the message.
    webhook varchar(300),
    -- The text of the message as it was sent. The answer need not contain it.
    contenu text,
    -- An account has asked for it: it is sent even if the text is the same, and posted again if the message is gone.
    demandee boolean NOT NULL DEFAULT false,
    -- The session was deleted when the message was last phrased.
    annulee boolean NOT NULL DEFAULT false,
    -- The last message about it was given up.
    abandonnee boolean NOT NULL DEFAULT false,
    -- Of a session that was deleted.
    module varchar(500),
    date date
);

-- Messages that stay on Discord, or may stay there, and that cannot be edited: an administrator has to remove them.
CREATE TABLE public.annonces_orphelines (
    id bigserial CONSTRAINT annonces_orphelines_pkey PRIMARY KEY,
    -- No foreign key: the session may be deleted.
    session_id bigint NOT NULL,
    module varchar(500),
    date date,
    notee_le timestamptz NOT NULL DEFAULT now()
);

-- When an administrator last got a mail that announcements do not arrive.
CREATE TABLE public.annonces_alertes (
    compte_id bigint CONSTRAINT annonces_alertes_pkey PRIMARY KEY
        CONSTRAINT annonces_alertes_compte_id_fkey REFERENCES public.users (id),
    envoyee_le timestamptz NOT NULL DEFAULT now()
);

-- The last day for which an account got the mail of the morning, or is to get it.
CREATE TABLE public.relances_courriels (
    responsable_id bigint CONSTRAINT relances_courriels_pkey PRIMARY KEY
        CONSTRAINT relances_courriels_responsable_id_fkey REFERENCES public.users (id),
    jour date NOT NULL,
    est_parti boolean NOT NULL DEFAULT false
);

COMMENT ON INDEX public.annonces_pkey IS 'primary key';
COMMENT ON INDEX public.annonces_orphelines_pkey IS 'primary key';
COMMENT ON INDEX public.annonces_alertes_pkey IS 'primary key, foreign key';
COMMENT ON INDEX public.relances_courriels_pkey IS 'primary key, foreign key';

GRANT SELECT, INSERT, UPDATE, DELETE ON public.annonces TO learntrack_crm_commands;
GRANT SELECT, INSERT, DELETE ON public.annonces_orphelines TO learntrack_crm_commands;
GRANT USAGE ON SEQUENCE public.annonces_orphelines_id_seq TO learntrack_crm_commands;
GRANT SELECT, INSERT, UPDATE ON public.annonces_alertes, public.relances_courriels TO learntrack_crm_commands;
-- The mail that announcements do not arrive goes to administrators.
GRANT SELECT (role) ON public.users TO learntrack_crm_commands;

ALTER TABLE public.annonces ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.annonces_orphelines ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.annonces_alertes ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.relances_courriels ENABLE ROW LEVEL SECURITY;
CREATE POLICY annonces_commands ON public.annonces TO learntrack_crm_commands USING (true);
CREATE POLICY annonces_orphelines_commands ON public.annonces_orphelines TO learntrack_crm_commands USING (true);
CREATE POLICY annonces_alertes_commands ON public.annonces_alertes TO learntrack_crm_commands USING (true);
CREATE POLICY relances_courriels_commands ON public.relances_courriels TO learntrack_crm_commands USING (true);

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0014_announcements.sql') ON CONFLICT DO NOTHING;
