-- The clauses of each contract are texts of their own. `mentions` was printed as clauses of the agreement with the client and of
-- the subcontract alike; it is the note at the foot of documents from now on.
--
-- What was written there becomes the clauses of both contracts, so that no contract loses any, and stays in `mentions`: servers of
-- the version before still read it there. A contract leaves out of its foot what is among its clauses.
--
-- Safe from: 1.0.0
-- Locks: organisme against everything, for a moment

ALTER TABLE public.organisme ADD COLUMN clauses_convention text, ADD COLUMN clauses_sous_traitance text;

UPDATE public.organisme SET clauses_convention = mentions, clauses_sous_traitance = mentions
WHERE kernel.is_visible(mentions);

GRANT SELECT (clauses_convention, clauses_sous_traitance) ON public.organisme TO learntrack_user, learntrack_admin;
GRANT UPDATE (clauses_convention, clauses_sous_traitance) ON public.organisme TO learntrack_admin;

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0020_contract_clauses.sql') ON CONFLICT DO NOTHING;
