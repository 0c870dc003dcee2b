-- Compares the rows that exist with the constraints of the migration before. Reads and writes go on meanwhile.
--
-- Safe from: 1.0.0
-- Locks: nothing

ALTER TABLE public.sessions
    VALIDATE CONSTRAINT sessions_date_check,
    VALIDATE CONSTRAINT sessions_debut_check,
    VALIDATE CONSTRAINT sessions_fin_check,
    VALIDATE CONSTRAINT sessions_tarif_client_check,
    VALIDATE CONSTRAINT sessions_tarif_sous_traitant_check,
    VALIDATE CONSTRAINT sessions_frais_rembourser_check;
ALTER TABLE public.formateurs
    VALIDATE CONSTRAINT formateurs_taux_horaire_check;
ALTER TABLE public.programmes
    VALIDATE CONSTRAINT programmes_duree_conseillee_check;
ALTER TABLE public.prospects
    VALIDATE CONSTRAINT prospects_montant_estime_check,
    VALIDATE CONSTRAINT prospects_prochaine_relance_check;
ALTER TABLE public.relances
    VALIDATE CONSTRAINT relances_date_check;

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0033_shapes_validated.sql') ON CONFLICT DO NOTHING;
