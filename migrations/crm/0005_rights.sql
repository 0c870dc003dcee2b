-- Who may do what. The server checks the same rights first; Postgres refuses what the server lets through by mistake.
--
-- Operations are grants; columns that the database writes (id, created_at, updated_at, version) are in none.
-- Row-level security is on with policies that let every row pass: a condition there would keep searches from their
-- indexes, since LIKE is not leakproof.
--
-- Safe from: 1.0.0
-- Locks: the tables of the domain against everything, for a moment

-- sessions: everyone reads and writes, administrators delete.
GRANT SELECT ON public.sessions TO learntrack_user, learntrack_admin;
GRANT
    INSERT (module, date, debut, fin, modalite, lieu, tarif_client, tarif_sous_traitant, frais_rembourser, ref_contrat,
        ecole_id, client_id, formateur_id),
    UPDATE (module, date, debut, fin, modalite, lieu, tarif_client, tarif_sous_traitant, frais_rembourser, ref_contrat,
        ecole_id, client_id, formateur_id)
    ON public.sessions TO learntrack_user, learntrack_admin;
GRANT DELETE ON public.sessions TO learntrack_admin;
GRANT USAGE ON SEQUENCE public.sessions_id_seq TO learntrack_user, learntrack_admin;

-- formateurs, clients, ecoles: everyone reads, administrators write.
GRANT SELECT ON public.formateurs, public.clients, public.ecoles TO learntrack_user, learntrack_admin;
GRANT
    INSERT (prenom, nom, email, telephone, specialite, taux_horaire, exterieur, societe, siret, nda, rue, code_postal,
        ville),
    UPDATE (prenom, nom, email, telephone, specialite, taux_horaire, exterieur, societe, siret, nda, rue, code_postal,
        ville)
    ON public.formateurs TO learntrack_admin;
GRANT
    INSERT (raison_sociale, rue, code_postal, ville, nom_contact, email, telephone, siret, numero_tva),
    UPDATE (raison_sociale, rue, code_postal, ville, nom_contact, email, telephone, siret, numero_tva)
    ON public.clients TO learntrack_admin;
GRANT
    INSERT (nom, rue, code_postal, ville, nom_contact, email, telephone),
    UPDATE (nom, rue, code_postal, ville, nom_contact, email, telephone)
    ON public.ecoles TO learntrack_admin;
GRANT DELETE ON public.formateurs, public.clients, public.ecoles TO learntrack_admin;
GRANT USAGE ON SEQUENCE public.formateurs_id_seq, public.clients_id_seq, public.ecoles_id_seq TO learntrack_admin;

ALTER TABLE public.sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.formateurs ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.clients ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.ecoles ENABLE ROW LEVEL SECURITY;

CREATE POLICY sessions_user ON public.sessions TO learntrack_user USING (true);
CREATE POLICY sessions_admin ON public.sessions TO learntrack_admin USING (true);
CREATE POLICY formateurs_user ON public.formateurs FOR SELECT TO learntrack_user USING (true);
CREATE POLICY formateurs_admin ON public.formateurs TO learntrack_admin USING (true);
CREATE POLICY clients_user ON public.clients FOR SELECT TO learntrack_user USING (true);
CREATE POLICY clients_admin ON public.clients TO learntrack_admin USING (true);
CREATE POLICY ecoles_user ON public.ecoles FOR SELECT TO learntrack_user USING (true);
CREATE POLICY ecoles_admin ON public.ecoles TO learntrack_admin USING (true);

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0005_rights.sql') ON CONFLICT DO NOTHING;
