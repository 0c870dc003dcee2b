-- Indexes that orders and filters of sessions still lacked.

-- The derived fields that depend on the row alone sort and filter like columns, in each direction as in 0007. The
-- expressions are those of the functions in 0005, which Postgres puts in the place of their calls; the two must stay
-- alike. The status has none: it changes with the clock.
CREATE INDEX sessions_marge_idx ON public.sessions
    ((tarif_client - coalesce(tarif_sous_traitant, 0) - coalesce(frais_rembourser, 0)), id);
CREATE INDEX sessions_marge_desc_idx ON public.sessions
    ((tarif_client - coalesce(tarif_sous_traitant, 0) - coalesce(frais_rembourser, 0)) DESC NULLS LAST, id);
CREATE INDEX sessions_duree_minutes_idx ON public.sessions
    ((floor(extract(epoch FROM fin - debut) / 60)::integer), id);
CREATE INDEX sessions_duree_minutes_desc_idx ON public.sessions
    ((floor(extract(epoch FROM fin - debut) / 60)::integer) DESC, id);

-- Beginnings of texts: LIKE 'CT-2026%' finds its rows by their bytes, which the French order cannot give.
CREATE INDEX sessions_module_debut_idx ON public.sessions (module varchar_pattern_ops);
CREATE INDEX sessions_ref_contrat_debut_idx ON public.sessions (ref_contrat varchar_pattern_ops);

INSERT INTO public.learntrack_migrations (name) VALUES ('0014_more_orders.sql') ON CONFLICT DO NOTHING;
