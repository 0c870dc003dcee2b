-- References of contracts: CT-2026-014 is the fourteenth of 2026. sessions.attribuer_reference gives them.
--
-- Safe from: 1.0.0
-- Locks: sessions against writes, while an index is built: seconds for a million sessions; all else is new

-- The year and the number of a reference; NULL for a text of another form. Numbered, because an index depends on it.
CREATE FUNCTION public.numero_de_reference(reference text) RETURNS integer[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN CASE WHEN reference COLLATE "C" ~ '^CT-[0-9]{4}-([0-9]{3}|[1-9][0-9]{3,8})$'
        THEN ARRAY[substr(reference, 4, 4)::integer, substr(reference, 9)::integer] END;
END
$$;

-- The last number that was given in each year, so that the number of a deleted session is not given again.
CREATE TABLE public.references_contrat (
    annee integer CONSTRAINT references_contrat_pkey PRIMARY KEY,
    dernier integer NOT NULL CONSTRAINT references_contrat_dernier_check CHECK (dernier >= 1)
);

-- Arrays are compared member by member.
CREATE INDEX sessions_reference_idx ON public.sessions (public.numero_de_reference(ref_contrat))
    WHERE public.numero_de_reference(ref_contrat) IS NOT NULL;

COMMENT ON INDEX public.references_contrat_pkey IS 'primary key';
COMMENT ON INDEX public.sessions_reference_idx IS 'the highest reference of a year';

-- The command alone reads and writes it.
GRANT SELECT, INSERT, UPDATE ON public.references_contrat TO learntrack_crm_commands;
ALTER TABLE public.references_contrat ENABLE ROW LEVEL SECURITY;
CREATE POLICY references_contrat_commands ON public.references_contrat TO learntrack_crm_commands USING (true);

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0016_references.sql') ON CONFLICT DO NOTHING;
