-- The constraints of days, times and amounts call the kernel's shapes, which every write then pays less for. They refuse
-- what those before refused; the next migration compares the rows that exist.
--
-- Safe from: 1.0.0
-- Locks: sessions, formateurs, programmes, prospects and relances against everything, for a moment

ALTER TABLE public.sessions
    DROP CONSTRAINT sessions_date_check,
    ADD CONSTRAINT sessions_date_check CHECK (kernel.is_day(date)) NOT VALID,
    DROP CONSTRAINT sessions_debut_check,
    ADD CONSTRAINT sessions_debut_check CHECK (kernel.is_time_of_day(debut)) NOT VALID,
    DROP CONSTRAINT sessions_fin_check,
    ADD CONSTRAINT sessions_fin_check CHECK (kernel.is_time_of_day(fin)) NOT VALID,
    DROP CONSTRAINT sessions_tarif_client_check,
    ADD CONSTRAINT sessions_tarif_client_check CHECK (kernel.is_amount(tarif_client)) NOT VALID,
    DROP CONSTRAINT sessions_tarif_sous_traitant_check,
    ADD CONSTRAINT sessions_tarif_sous_traitant_check CHECK (kernel.is_amount(tarif_sous_traitant)) NOT VALID,
    DROP CONSTRAINT sessions_frais_rembourser_check,
    ADD CONSTRAINT sessions_frais_rembourser_check CHECK (kernel.is_amount(frais_rembourser)) NOT VALID;
ALTER TABLE public.formateurs
    DROP CONSTRAINT formateurs_taux_horaire_check,
    ADD CONSTRAINT formateurs_taux_horaire_check CHECK (kernel.is_amount(taux_horaire)) NOT VALID;
ALTER TABLE public.programmes
    DROP CONSTRAINT programmes_duree_conseillee_check,
    ADD CONSTRAINT programmes_duree_conseillee_check CHECK (kernel.is_amount(duree_conseillee)) NOT VALID;
ALTER TABLE public.prospects
    DROP CONSTRAINT prospects_montant_estime_check,
    ADD CONSTRAINT prospects_montant_estime_check CHECK (kernel.is_amount(montant_estime)) NOT VALID,
    DROP CONSTRAINT prospects_prochaine_relance_check,
    ADD CONSTRAINT prospects_prochaine_relance_check CHECK (kernel.is_day(prochaine_relance)) NOT VALID;
ALTER TABLE public.relances
    DROP CONSTRAINT relances_date_check,
    ADD CONSTRAINT relances_date_check CHECK (kernel.is_day(date)) NOT VALID;

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0032_shapes.sql') ON CONFLICT DO NOTHING;
