-- For people at psql: every session of the company with the names that its keys stand for, and what it leaves. It shows to
-- each reader what the tables show them (security_invoker).
CREATE OR REPLACE VIEW public.v_sessions_complete WITH (security_invoker = true) AS
SELECT
    s.id,
    s.module,
    s.date,
    s.debut,
    s.fin,
    s.modalite,
    s.lieu,
    s.tarif_client,
    s.tarif_sous_traitant,
    s.frais_rembourser,
    public.marge(s) AS marge,
    s.ref_contrat,
    s.ecole_id,
    e.nom AS ecole_nom,
    s.client_id,
    c.raison_sociale AS client_raison_sociale,
    s.formateur_id,
    f.prenom AS formateur_prenom,
    f.nom AS formateur_nom,
    s.created_at,
    s.updated_at,
    s.version
FROM public.sessions AS s
LEFT JOIN public.ecoles AS e ON e.company_id = s.company_id AND e.id = s.ecole_id
LEFT JOIN public.clients AS c ON c.company_id = s.company_id AND c.id = s.client_id
LEFT JOIN public.formateurs AS f ON f.company_id = s.company_id AND f.id = s.formateur_id
WHERE s.company_id = kernel.company();

GRANT SELECT ON public.v_sessions_complete TO learntrack_user, learntrack_admin;

SELECT kernel.note_file('crm', 'functions/v_sessions_complete.sql', '602aab54b1932bad');
