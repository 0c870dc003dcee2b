-- Filters compare texts by their code points, which the indexes in the French order cannot answer. These answer equality,
-- ranges and beginnings (LIKE 'CT-2026%'), in the place of those that answered beginnings alone.
DROP INDEX public.sessions_module_debut_idx;
DROP INDEX public.sessions_ref_contrat_debut_idx;
CREATE INDEX sessions_module_octets_idx ON public.sessions (module COLLATE "C");
CREATE INDEX sessions_ref_contrat_octets_idx ON public.sessions (ref_contrat COLLATE "C");
CREATE INDEX sessions_lieu_octets_idx ON public.sessions (left(lieu, 200) COLLATE "C");

INSERT INTO public.learntrack_migrations (name) VALUES ('0017_comparisons.sql') ON CONFLICT DO NOTHING;
