-- The tables, and every rule that a row by itself can break.
--
-- Names: <table>_<column>_check, _fkey and _key for what concerns one column; a rule between columns has a name of
-- its own. The server finds the column of a refused write by them.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it

CREATE TABLE public.formateurs (
    id bigserial CONSTRAINT formateurs_pkey PRIMARY KEY,
    prenom varchar(100) NOT NULL CONSTRAINT formateurs_prenom_check CHECK (kernel.is_visible(prenom)),
    nom varchar(100) NOT NULL CONSTRAINT formateurs_nom_check CHECK (kernel.is_visible(nom)),
    email varchar(255) CONSTRAINT formateurs_email_check CHECK (kernel.is_email(email)),
    telephone varchar(20) CONSTRAINT formateurs_telephone_check CHECK (public.est_telephone(telephone)),
    specialite text,
    taux_horaire decimal(10, 2)
        CONSTRAINT formateurs_taux_horaire_check CHECK (taux_horaire >= 0 AND taux_horaire <> 'NaN'),
    exterieur smallint NOT NULL DEFAULT 0 CONSTRAINT formateurs_exterieur_check CHECK (exterieur IN (0, 1)),
    societe varchar(255),
    siret varchar(20) CONSTRAINT formateurs_siret_check CHECK (public.est_siret(siret)),
    nda varchar(50) CONSTRAINT formateurs_nda_check CHECK (public.est_nda(nda)),
    rue text,
    code_postal varchar(10) CONSTRAINT formateurs_code_postal_check CHECK (public.est_code_postal(code_postal)),
    ville varchar(100),
    created_at timestamptz NOT NULL DEFAULT now() CONSTRAINT formateurs_created_at_check CHECK (kernel.is_instant(created_at)),
    updated_at timestamptz NOT NULL DEFAULT now() CONSTRAINT formateurs_updated_at_check CHECK (kernel.is_instant(updated_at)),
    version integer NOT NULL DEFAULT 1 CONSTRAINT formateurs_version_check CHECK (version >= 1)
);

CREATE TABLE public.clients (
    id bigserial CONSTRAINT clients_pkey PRIMARY KEY,
    raison_sociale varchar(255) NOT NULL
        CONSTRAINT clients_raison_sociale_check CHECK (kernel.is_visible(raison_sociale)),
    rue text,
    code_postal varchar(10) CONSTRAINT clients_code_postal_check CHECK (public.est_code_postal(code_postal)),
    ville varchar(100),
    nom_contact varchar(150),
    email varchar(255) CONSTRAINT clients_email_check CHECK (kernel.is_email(email)),
    telephone varchar(20) CONSTRAINT clients_telephone_check CHECK (public.est_telephone(telephone)),
    siret varchar(20) CONSTRAINT clients_siret_check CHECK (public.est_siret(siret)),
    numero_tva varchar(20) CONSTRAINT clients_numero_tva_check CHECK (public.est_numero_tva(numero_tva)),
    created_at timestamptz NOT NULL DEFAULT now() CONSTRAINT clients_created_at_check CHECK (kernel.is_instant(created_at)),
    updated_at timestamptz NOT NULL DEFAULT now() CONSTRAINT clients_updated_at_check CHECK (kernel.is_instant(updated_at)),
    version integer NOT NULL DEFAULT 1 CONSTRAINT clients_version_check CHECK (version >= 1)
);

CREATE TABLE public.ecoles (
    id bigserial CONSTRAINT ecoles_pkey PRIMARY KEY,
    nom varchar(255) NOT NULL CONSTRAINT ecoles_nom_check CHECK (kernel.is_visible(nom)),
    rue text,
    code_postal varchar(10) CONSTRAINT ecoles_code_postal_check CHECK (public.est_code_postal(code_postal)),
    ville varchar(100),
    nom_contact varchar(150),
    email varchar(255) CONSTRAINT ecoles_email_check CHECK (kernel.is_email(email)),
    telephone varchar(20) CONSTRAINT ecoles_telephone_check CHECK (public.est_telephone(telephone)),
    created_at timestamptz NOT NULL DEFAULT now() CONSTRAINT ecoles_created_at_check CHECK (kernel.is_instant(created_at)),
    updated_at timestamptz NOT NULL DEFAULT now() CONSTRAINT ecoles_updated_at_check CHECK (kernel.is_instant(updated_at)),
    version integer NOT NULL DEFAULT 1 CONSTRAINT ecoles_version_check CHECK (version >= 1)
);

-- A row that sessions refer to cannot be deleted: no foreign key cascades.
CREATE TABLE public.sessions (
    id bigserial CONSTRAINT sessions_pkey PRIMARY KEY,
    module varchar(500) NOT NULL CONSTRAINT sessions_module_check CHECK (kernel.is_visible(module)),
    -- `infinity` and what a date of four-digit years cannot say fall outside.
    date date NOT NULL CONSTRAINT sessions_date_check CHECK (date BETWEEN '0001-01-01' AND '9999-12-31'),
    -- Before midnight comes again, in whole seconds.
    debut time NOT NULL
        CONSTRAINT sessions_debut_check CHECK (debut < '24:00' AND extract(microseconds FROM debut) % 1000000 = 0),
    fin time NOT NULL
        CONSTRAINT sessions_fin_check CHECK (fin < '24:00' AND extract(microseconds FROM fin) % 1000000 = 0),
    modalite char(1) NOT NULL CONSTRAINT sessions_modalite_check CHECK (modalite IN ('P', 'D')),
    lieu text,
    -- NaN counts as greater than every number: `>= 0` alone would take it.
    tarif_client decimal(10, 2)
        CONSTRAINT sessions_tarif_client_check CHECK (tarif_client >= 0 AND tarif_client <> 'NaN'),
    tarif_sous_traitant decimal(10, 2)
        CONSTRAINT sessions_tarif_sous_traitant_check CHECK (tarif_sous_traitant >= 0 AND tarif_sous_traitant <> 'NaN'),
    frais_rembourser decimal(10, 2)
        CONSTRAINT sessions_frais_rembourser_check CHECK (frais_rembourser >= 0 AND frais_rembourser <> 'NaN'),
    ref_contrat varchar(100),
    ecole_id bigint CONSTRAINT sessions_ecole_id_fkey REFERENCES public.ecoles (id),
    client_id bigint CONSTRAINT sessions_client_id_fkey REFERENCES public.clients (id),
    formateur_id bigint CONSTRAINT sessions_formateur_id_fkey REFERENCES public.formateurs (id),
    created_at timestamptz NOT NULL DEFAULT now() CONSTRAINT sessions_created_at_check CHECK (kernel.is_instant(created_at)),
    updated_at timestamptz NOT NULL DEFAULT now() CONSTRAINT sessions_updated_at_check CHECK (kernel.is_instant(updated_at)),
    version integer NOT NULL DEFAULT 1 CONSTRAINT sessions_version_check CHECK (version >= 1),
    -- What a search compares, in three parts: the session's own columns, the trainer's name, the client's name. A generated
    -- column cannot hold names of other tables. A session that is written without its triggers, as a restore may do, is
    -- refused rather than never found.
    search_text text NOT NULL,
    CONSTRAINT sessions_fin_apres_debut CHECK (fin > debut)
);

-- The time and the count of changes. A new name of the trainer or client is no change of the session: its version and the
-- time of its last change stay.
CREATE TRIGGER formateurs_change BEFORE UPDATE ON public.formateurs
    FOR EACH ROW EXECUTE FUNCTION kernel.note_change();
CREATE TRIGGER clients_change BEFORE UPDATE ON public.clients
    FOR EACH ROW EXECUTE FUNCTION kernel.note_change();
CREATE TRIGGER ecoles_change BEFORE UPDATE ON public.ecoles
    FOR EACH ROW EXECUTE FUNCTION kernel.note_change();
CREATE TRIGGER sessions_change BEFORE UPDATE ON public.sessions
    FOR EACH ROW
    WHEN (OLD.search_text IS NOT DISTINCT FROM NEW.search_text OR pg_catalog.pg_trigger_depth() = 0)
    EXECUTE FUNCTION kernel.note_change();

SELECT kernel.journal_keep(kept) FROM unnest(ARRAY['sessions', 'formateurs', 'clients', 'ecoles']::regclass[]) AS kept;

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0002_tables.sql') ON CONFLICT DO NOTHING;
