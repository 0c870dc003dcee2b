-- Which record has absorbed which: what an absorbed id answers. The record that stays is one that exists: when it is absorbed
-- as well, the entry names the record that absorbed it. So a chain of merges is one step long.
--
-- No journal and no feed: the merge itself is in both.
--
-- Safe from: 1.0.0
-- Locks: clients, ecoles and formateurs against writes, for a moment; all else is new

CREATE TABLE public.clients_fusionnes (
    id bigint CONSTRAINT clients_fusionnes_pkey PRIMARY KEY,
    fusionne_dans bigint NOT NULL
        CONSTRAINT clients_fusionnes_fusionne_dans_fkey REFERENCES public.clients (id) ON DELETE CASCADE,
    CONSTRAINT clients_fusionnes_deux CHECK (fusionne_dans <> id)
);

CREATE TABLE public.formateurs_fusionnes (
    id bigint CONSTRAINT formateurs_fusionnes_pkey PRIMARY KEY,
    fusionne_dans bigint NOT NULL
        CONSTRAINT formateurs_fusionnes_fusionne_dans_fkey REFERENCES public.formateurs (id) ON DELETE CASCADE,
    CONSTRAINT formateurs_fusionnes_deux CHECK (fusionne_dans <> id)
);

CREATE TABLE public.ecoles_fusionnes (
    id bigint CONSTRAINT ecoles_fusionnes_pkey PRIMARY KEY,
    fusionne_dans bigint NOT NULL
        CONSTRAINT ecoles_fusionnes_fusionne_dans_fkey REFERENCES public.ecoles (id) ON DELETE CASCADE,
    CONSTRAINT ecoles_fusionnes_deux CHECK (fusionne_dans <> id)
);

CREATE INDEX clients_fusionnes_fusionne_dans_idx ON public.clients_fusionnes (fusionne_dans);
CREATE INDEX formateurs_fusionnes_fusionne_dans_idx ON public.formateurs_fusionnes (fusionne_dans);
CREATE INDEX ecoles_fusionnes_fusionne_dans_idx ON public.ecoles_fusionnes (fusionne_dans);

COMMENT ON INDEX public.clients_fusionnes_pkey IS 'primary key';
COMMENT ON INDEX public.clients_fusionnes_fusionne_dans_idx IS 'foreign key';
COMMENT ON INDEX public.formateurs_fusionnes_pkey IS 'primary key';
COMMENT ON INDEX public.formateurs_fusionnes_fusionne_dans_idx IS 'foreign key';
COMMENT ON INDEX public.ecoles_fusionnes_pkey IS 'primary key';
COMMENT ON INDEX public.ecoles_fusionnes_fusionne_dans_idx IS 'foreign key';

-- Who may read a record may learn what it has become part of. The commands alone write.
GRANT SELECT ON public.clients_fusionnes, public.formateurs_fusionnes, public.ecoles_fusionnes
    TO learntrack_user, learntrack_admin;
GRANT SELECT, INSERT, UPDATE, DELETE ON public.clients_fusionnes, public.formateurs_fusionnes, public.ecoles_fusionnes
    TO learntrack_crm_commands;

ALTER TABLE public.clients_fusionnes ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.formateurs_fusionnes ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.ecoles_fusionnes ENABLE ROW LEVEL SECURITY;

CREATE POLICY clients_fusionnes_tous ON public.clients_fusionnes FOR SELECT
    TO learntrack_user, learntrack_admin USING (true);
CREATE POLICY clients_fusionnes_commands ON public.clients_fusionnes TO learntrack_crm_commands USING (true);
CREATE POLICY formateurs_fusionnes_tous ON public.formateurs_fusionnes FOR SELECT
    TO learntrack_user, learntrack_admin USING (true);
CREATE POLICY formateurs_fusionnes_commands ON public.formateurs_fusionnes TO learntrack_crm_commands USING (true);
CREATE POLICY ecoles_fusionnes_tous ON public.ecoles_fusionnes FOR SELECT
    TO learntrack_user, learntrack_admin USING (true);
CREATE POLICY ecoles_fusionnes_commands ON public.ecoles_fusionnes TO learntrack_crm_commands USING (true);

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0010_merges.sql') ON CONFLICT DO NOTHING;
