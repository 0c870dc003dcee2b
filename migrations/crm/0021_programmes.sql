-- Programmes of trainings: what article D. 6353-1 of the Code du travail wants in an agreement besides a title, a day, a place and a
-- price. A session has one, and a number of people; the organisation has terms of payment.
--
-- Safe from: 1.0.0
-- Locks: sessions and organisme against everything, for a moment; all else is new

-- Titles that differ in case, accents and spaces alone are one. Numbered, because an index depends on it.
CREATE FUNCTION public.intitule_compare(intitule text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN btrim(regexp_replace(kernel.without_accents(intitule), '[[:space:]\u00A0\u202F]+', ' ', 'g'));

CREATE TABLE public.programmes (
    id bigserial CONSTRAINT programmes_pkey PRIMARY KEY,
    intitule varchar(500) NOT NULL CONSTRAINT programmes_intitule_check CHECK (kernel.is_visible(intitule)),
    objectifs varchar(10000),
    public varchar(10000),
    prerequis varchar(10000),
    contenu varchar(10000),
    moyens varchar(10000),
    suivi_evaluation varchar(10000),
    sanction varchar(10000),
    -- In hours.
    duree_conseillee decimal(7, 2)
        CONSTRAINT programmes_duree_conseillee_check CHECK (duree_conseillee >= 0 AND duree_conseillee <> 'NaN'),
    created_at timestamptz NOT NULL DEFAULT now() CONSTRAINT programmes_created_at_check CHECK (kernel.is_instant(created_at)),
    updated_at timestamptz NOT NULL DEFAULT now() CONSTRAINT programmes_updated_at_check CHECK (kernel.is_instant(updated_at)),
    version integer NOT NULL DEFAULT 1 CONSTRAINT programmes_version_check CHECK (version >= 1)
);

CREATE TRIGGER programmes_change BEFORE UPDATE ON public.programmes
    FOR EACH ROW EXECUTE FUNCTION kernel.note_change();

SELECT kernel.search_keep(
    'public.programmes',
    $$kernel.without_accents(intitule || ' ' || coalesce(objectifs, '') || ' ' || coalesce(contenu, ''))$$);

CREATE UNIQUE INDEX programmes_intitule_key ON public.programmes (public.intitule_compare(intitule));
CREATE INDEX programmes_intitule_idx ON public.programmes (intitule COLLATE public.francais, id);

COMMENT ON INDEX public.programmes_pkey IS 'primary key';
COMMENT ON INDEX public.programmes_intitule_key IS 'unique: a title has one programme, in any case and accents; the programme of a module';
COMMENT ON INDEX public.programmes_intitule_idx IS 'default order';

-- Everyone reads, administrators write.
GRANT SELECT ON public.programmes TO learntrack_user, learntrack_admin;
GRANT
    INSERT (intitule, objectifs, public, prerequis, contenu, moyens, suivi_evaluation, sanction, duree_conseillee),
    UPDATE (intitule, objectifs, public, prerequis, contenu, moyens, suivi_evaluation, sanction, duree_conseillee)
    ON public.programmes TO learntrack_admin;
GRANT DELETE ON public.programmes TO learntrack_admin;
GRANT USAGE ON SEQUENCE public.programmes_id_seq TO learntrack_admin;
GRANT SELECT ON public.programmes TO learntrack_crm_commands;

ALTER TABLE public.programmes ENABLE ROW LEVEL SECURITY;
CREATE POLICY programmes_user ON public.programmes FOR SELECT TO learntrack_user USING (true);
CREATE POLICY programmes_admin ON public.programmes TO learntrack_admin USING (true);
CREATE POLICY programmes_commands ON public.programmes FOR SELECT TO learntrack_crm_commands USING (true);

SELECT kernel.journal_keep('public.programmes'), kernel.feed_keep('public.programmes');

ALTER TABLE public.sessions
    ADD COLUMN programme_id bigint CONSTRAINT sessions_programme_id_fkey REFERENCES public.programmes (id),
    ADD COLUMN effectif smallint CONSTRAINT sessions_effectif_check CHECK (effectif BETWEEN 1 AND 9999);
GRANT INSERT (programme_id, effectif), UPDATE (programme_id, effectif)
    ON public.sessions TO learntrack_user, learntrack_admin;

ALTER TABLE public.organisme ADD COLUMN reglement text;
GRANT SELECT (reglement) ON public.organisme TO learntrack_user, learntrack_admin;
GRANT UPDATE (reglement) ON public.organisme TO learntrack_admin;

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0021_programmes.sql') ON CONFLICT DO NOTHING;
