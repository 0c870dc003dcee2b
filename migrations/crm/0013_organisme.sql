-- The training organisation itself: one record at most. It is what documents and announcements say about it, and which rules
-- it has chosen.
--
-- Safe from: 1.0.0
-- Locks: files against writes, for a moment; all else is new

CREATE TABLE public.organisme (
    id bigserial CONSTRAINT organisme_pkey PRIMARY KEY,
    raison_sociale varchar(255),
    rue text,
    code_postal varchar(10) CONSTRAINT organisme_code_postal_check CHECK (public.est_code_postal(code_postal)),
    ville varchar(100),
    siret varchar(20) CONSTRAINT organisme_siret_check CHECK (public.est_siret(siret)),
    nda varchar(50) CONSTRAINT organisme_nda_check CHECK (public.est_nda(nda)),
    numero_tva varchar(20) CONSTRAINT organisme_numero_tva_check CHECK (public.est_numero_tva(numero_tva)),
    rcs varchar(100),
    telephone varchar(20) CONSTRAINT organisme_telephone_check CHECK (public.est_telephone(telephone)),
    email varchar(255) CONSTRAINT organisme_email_check CHECK (kernel.is_email(email)),
    logo bigint CONSTRAINT organisme_logo_fkey REFERENCES kernel.files (id),
    mentions text,
    signataire varchar(150),
    conflits_interdits boolean NOT NULL DEFAULT false,
    annonces_auto boolean NOT NULL DEFAULT false,
    -- A secret: its last part is the right to write. The outbox sends to Discord's hosts only, and to those that the settings of
    -- the installation name, such as that of a stand-in.
    discord_webhook varchar(300) CONSTRAINT organisme_discord_webhook_check CHECK (
        discord_webhook COLLATE "C"
            ~ '^https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?/api/(v[0-9]{1,2}/)?webhooks/[0-9]{1,20}/[A-Za-z0-9_-]{1,100}(\?thread_id=[0-9]{1,20})?$'),
    created_at timestamptz NOT NULL DEFAULT now() CONSTRAINT organisme_created_at_check CHECK (kernel.is_instant(created_at)),
    updated_at timestamptz NOT NULL DEFAULT now() CONSTRAINT organisme_updated_at_check CHECK (kernel.is_instant(updated_at)),
    version integer NOT NULL DEFAULT 1 CONSTRAINT organisme_version_check CHECK (version >= 1)
);

SELECT kernel.file_keep('public.organisme', 'logo', 524288, 'image/png', 'image/svg+xml');

CREATE INDEX organisme_logo_idx ON public.organisme (logo);
CREATE UNIQUE INDEX organisme_seul_idx ON public.organisme ((true));

COMMENT ON INDEX public.organisme_pkey IS 'primary key, default order';
COMMENT ON INDEX public.organisme_logo_idx IS 'foreign key';
COMMENT ON INDEX public.organisme_seul_idx IS 'one record at most';

CREATE TRIGGER organisme_changement BEFORE UPDATE ON public.organisme
    FOR EACH ROW EXECUTE FUNCTION kernel.note_change();
SELECT kernel.journal_keep('public.organisme', 'discord_webhook');
SELECT kernel.feed_keep('public.organisme');

-- Everyone reads all but the secret, administrators write.
GRANT SELECT (id, raison_sociale, rue, code_postal, ville, siret, nda, numero_tva, rcs, telephone, email, logo, mentions,
    signataire, conflits_interdits, annonces_auto, created_at, updated_at, version)
    ON public.organisme TO learntrack_user, learntrack_admin;
GRANT UPDATE (raison_sociale, rue, code_postal, ville, siret, nda, numero_tva, rcs, telephone, email, logo, mentions,
    signataire, conflits_interdits, annonces_auto, discord_webhook)
    ON public.organisme TO learntrack_admin;
GRANT SELECT, INSERT ON public.organisme TO learntrack_crm_commands;
GRANT USAGE ON SEQUENCE public.organisme_id_seq TO learntrack_crm_commands;

ALTER TABLE public.organisme ENABLE ROW LEVEL SECURITY;
CREATE POLICY organisme_user ON public.organisme FOR SELECT TO learntrack_user USING (true);
CREATE POLICY organisme_admin ON public.organisme TO learntrack_admin USING (true);
CREATE POLICY organisme_commands ON public.organisme TO learntrack_crm_commands USING (true);

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0013_organisme.sql') ON CONFLICT DO NOTHING;
