-- Prospects and their reminders (`relances`).
--
-- Safe from: 1.0.0
-- Locks: clients and users against writes, for a moment; all else is new

CREATE TABLE public.prospects (
    id bigserial CONSTRAINT prospects_pkey PRIMARY KEY,
    raison_sociale varchar(255) NOT NULL
        CONSTRAINT prospects_raison_sociale_check CHECK (kernel.is_visible(raison_sociale)),
    nom_contact varchar(150),
    email varchar(255) CONSTRAINT prospects_email_check CHECK (kernel.is_email(email)),
    telephone varchar(20) CONSTRAINT prospects_telephone_check CHECK (public.est_telephone(telephone)),
    ville varchar(100),
    source varchar(100),
    montant_estime decimal(10, 2)
        CONSTRAINT prospects_montant_estime_check CHECK (montant_estime >= 0 AND montant_estime <> 'NaN'),
    probabilite smallint CONSTRAINT prospects_probabilite_check CHECK (probabilite BETWEEN 0 AND 100),
    prochaine_relance date CONSTRAINT prospects_prochaine_relance_check
        CHECK (prochaine_relance BETWEEN '0001-01-01' AND '9999-12-31'),
    responsable_id bigint DEFAULT kernel.account()
        CONSTRAINT prospects_responsable_id_fkey REFERENCES public.users (id),
    -- Commands write these three. A trigger refuses the ways from one stage to another that are not documented.
    etape varchar(20) NOT NULL DEFAULT 'a_contacter' CONSTRAINT prospects_etape_check
        CHECK (etape IN ('a_contacter', 'contacte', 'proposition', 'gagne', 'perdu')),
    motif varchar(500),
    client_id bigint CONSTRAINT prospects_client_id_fkey REFERENCES public.clients (id),
    created_at timestamptz NOT NULL DEFAULT now() CONSTRAINT prospects_created_at_check CHECK (kernel.is_instant(created_at)),
    updated_at timestamptz NOT NULL DEFAULT now() CONSTRAINT prospects_updated_at_check CHECK (kernel.is_instant(updated_at)),
    version integer NOT NULL DEFAULT 1 CONSTRAINT prospects_version_check CHECK (version >= 1),
    CONSTRAINT prospects_motif CHECK (etape <> 'perdu' OR motif IS NOT NULL AND kernel.is_visible(motif)),
    CONSTRAINT prospects_client_gagne CHECK (client_id IS NULL OR etape = 'gagne')
);

CREATE TABLE public.relances (
    id bigserial CONSTRAINT relances_pkey PRIMARY KEY,
    prospect_id bigint NOT NULL CONSTRAINT relances_prospect_id_fkey REFERENCES public.prospects (id),
    date date NOT NULL CONSTRAINT relances_date_check CHECK (date BETWEEN '0001-01-01' AND '9999-12-31'),
    canal varchar(20) NOT NULL DEFAULT 'telephone' CONSTRAINT relances_canal_check
        CHECK (canal IN ('telephone', 'email', 'rendez_vous', 'courrier', 'autre')),
    note text,
    faite boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now() CONSTRAINT relances_created_at_check CHECK (kernel.is_instant(created_at)),
    updated_at timestamptz NOT NULL DEFAULT now() CONSTRAINT relances_updated_at_check CHECK (kernel.is_instant(updated_at)),
    version integer NOT NULL DEFAULT 1 CONSTRAINT relances_version_check CHECK (version >= 1)
);

CREATE TRIGGER prospects_change BEFORE UPDATE ON public.prospects
    FOR EACH ROW EXECUTE FUNCTION kernel.note_change();
CREATE TRIGGER relances_change BEFORE UPDATE ON public.relances
    FOR EACH ROW EXECUTE FUNCTION kernel.note_change();

SELECT kernel.search_keep(
    'public.prospects',
    $$kernel.without_accents(raison_sociale || ' ' || coalesce(ville, '') || ' ' || coalesce(nom_contact, ''))$$);

CREATE INDEX prospects_raison_sociale_idx ON public.prospects (raison_sociale COLLATE public.francais, id);
CREATE INDEX prospects_responsable_id_idx ON public.prospects (responsable_id, id);
CREATE INDEX prospects_client_id_idx ON public.prospects (client_id, id);
CREATE INDEX relances_date_idx ON public.relances (date, id);
CREATE INDEX relances_prospect_id_idx ON public.relances (prospect_id, id);

COMMENT ON INDEX public.prospects_pkey IS 'primary key';
COMMENT ON INDEX public.prospects_raison_sociale_idx IS 'default order';
COMMENT ON INDEX public.prospects_responsable_id_idx IS 'foreign key';
COMMENT ON INDEX public.prospects_client_id_idx IS 'foreign key';
COMMENT ON INDEX public.relances_pkey IS 'primary key';
COMMENT ON INDEX public.relances_date_idx IS 'default order, and the reminders that are due';
COMMENT ON INDEX public.relances_prospect_id_idx IS 'foreign key';

-- Everyone reads and writes both, administrators delete.
GRANT SELECT ON public.prospects, public.relances TO learntrack_user, learntrack_admin;
GRANT
    INSERT (raison_sociale, nom_contact, email, telephone, ville, source, montant_estime, probabilite,
        prochaine_relance, responsable_id),
    UPDATE (raison_sociale, nom_contact, email, telephone, ville, source, montant_estime, probabilite,
        prochaine_relance, responsable_id)
    ON public.prospects TO learntrack_user, learntrack_admin;
GRANT
    INSERT (prospect_id, date, canal, note, faite),
    UPDATE (prospect_id, date, canal, note, faite)
    ON public.relances TO learntrack_user, learntrack_admin;
GRANT DELETE ON public.prospects, public.relances TO learntrack_admin;
GRANT USAGE ON SEQUENCE public.prospects_id_seq, public.relances_id_seq TO learntrack_user, learntrack_admin;

ALTER TABLE public.prospects ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.relances ENABLE ROW LEVEL SECURITY;
CREATE POLICY prospects_user ON public.prospects TO learntrack_user USING (true);
CREATE POLICY prospects_admin ON public.prospects TO learntrack_admin USING (true);
CREATE POLICY relances_user ON public.relances TO learntrack_user USING (true);
CREATE POLICY relances_admin ON public.relances TO learntrack_admin USING (true);

-- What the commands read and write beside that. The accounts are for the mail to those who have reminders due.
GRANT SELECT, UPDATE ON public.prospects TO learntrack_crm_commands;
GRANT SELECT ON public.relances TO learntrack_crm_commands;
GRANT INSERT ON public.clients TO learntrack_crm_commands;
GRANT USAGE ON SEQUENCE public.clients_id_seq TO learntrack_crm_commands;
GRANT SELECT (id, email, username, is_active) ON public.users TO learntrack_crm_commands;
CREATE POLICY prospects_commands ON public.prospects TO learntrack_crm_commands USING (true);
CREATE POLICY relances_commands ON public.relances TO learntrack_crm_commands USING (true);
CREATE POLICY users_crm_commands ON public.users FOR SELECT TO learntrack_crm_commands USING (true);

SELECT kernel.journal_keep(kept), kernel.feed_keep(kept)
FROM unnest(ARRAY['prospects', 'relances']::regclass[]) AS kept;

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0012_prospects.sql') ON CONFLICT DO NOTHING;
