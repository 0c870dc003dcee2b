-- Demo data of a second company: trainings at sea and in ports, around today's date. Not a migration: `learntrack seed --companies` runs
-- it in that company. It adds no records if the company has a session, a trainer, a client or a school already.
--
-- As that of the first company: no chance in it, all names invented, telephone numbers from the ranges reserved for fiction.

SET client_encoding = 'UTF8';

DO $demo$
BEGIN
IF EXISTS (SELECT FROM public.sessions AS s WHERE s.company_id = kernel.company())
    OR EXISTS (SELECT FROM public.formateurs AS f WHERE f.company_id = kernel.company())
    OR EXISTS (SELECT FROM public.clients AS c WHERE c.company_id = kernel.company())
    OR EXISTS (SELECT FROM public.ecoles AS e WHERE e.company_id = kernel.company())
THEN
    RAISE NOTICE 'the company has data already: no demo data added';
    RETURN;
END IF;

INSERT INTO public.organisme
    (raison_sociale, rue, code_postal, ville, siret, nda, numero_tva, rcs, telephone, email, signataire, annonces_auto, logo)
VALUES
    ('Rivage Formation', '3 quai de la Douane', '29200', 'Brest', '930 123 401 00018', '53290123456', 'FR24930123401',
        'RCS Brest 930 123 401', '02 61 91 40 00', 'bonjour@rivage-formation.example', 'Maël Kerguelen, gérant', false,
        (SELECT logo.id
        FROM public.users AS u
        CROSS JOIN LATERAL kernel.file_put(u.id, 'image/svg+xml', convert_to(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><circle cx="32" cy="32" r="30" fill="#0f6b5c"/>'
            '<path d="M10 38q11-12 22 0t22 0" fill="none" stroke="#fff" stroke-width="5"/></svg>', 'UTF8')) AS logo
        WHERE u.company_id = kernel.company() AND u.email = 'rivage@demo.learntrack.fr'))
ON CONFLICT DO NOTHING;

INSERT INTO public.ecoles (nom, rue, code_postal, ville, nom_contact, email, telephone)
VALUES
    ('Lycée maritime du Goulet', '8 rue du Phare', '29200', 'Brest', 'Annaïg Salaün', 'formation@goulet.example',
        '02 61 91 41 01'),
    ('École de voile des Abers', 'Port de l''Aber', '29870', 'Lannilis', 'Ronan Abgrall', 'stages@abers.example',
        '02 61 91 41 02'),
    ('Institut des Métiers du Nautisme', '2 rue des Chantiers', '56100', 'Lorient', 'Céline Jégo',
        'contact@imn.example', '02 61 91 41 03');

INSERT INTO public.clients
    (raison_sociale, rue, code_postal, ville, nom_contact, email, telephone, siret, numero_tva)
VALUES
    ('Armement Kerlouan', '14 quai du Commerce', '29200', 'Brest', 'Gwenaëlle Riou', 'rh@kerlouan.example',
        '02 61 91 42 01', '930 856 539 00018', 'FR60930856539'),
    ('Chantier naval du Moulin Blanc', '1 rue du Bassin', '29480', 'Le Relecq-Kerhuon', 'Yves Cadiou',
        'atelier@moulin-blanc.example', '02 61 91 42 02', '931 589 667 00019', 'FR66931589667'),
    ('Conserverie des Embruns', '20 rue de la Criée', '29730', 'Guilvinec', 'Maryvonne Le Corre',
        'direction@embruns.example', '02 61 91 42 03', '932 322 795 00018', 'FR72932322795'),
    ('Criée de Roscoff', 'Port de pêche', '29680', 'Roscoff', 'Fabien Quéré', 'formation@criee-roscoff.example',
        '02 61 91 42 04', '933 055 923 00017', 'FR78933055923'),
    ('Ferries du Ponant', '5 quai Eric-Tabarly', '29200', 'Brest', 'Laure Tanguy', 'formation@ponant.example',
        '02 61 91 42 05', '933 789 059 00013', 'FR11933789059'),
    ('Ostréiculteurs de la Rade', '7 route de l''Anse', '29460', 'Daoulas', NULL, 'bureau@rade.example',
        '02 61 91 42 06', NULL, NULL),
    -- The first company has this client, too: each has a record of its own.
    ('Biscuiterie Ker Avel', '2 rue du Port', '29900', 'Concarneau', 'Yann Le Bihan', 'rh@keravel.example',
        '02 61 91 22 03', '901 578 260 00019', 'FR81901578260');

INSERT INTO public.formateurs
    (prenom, nom, email, telephone, specialite, taux_horaire, exterieur, societe, siret, nda, rue, code_postal, ville)
VALUES
    ('Enora', 'Le Floc''h', 'enora.lefloch@example.org', '06 39 98 41 01', 'Sécurité en mer, survie', 62.00, 0,
        NULL, NULL, NULL, '9 rue Graveran', '29200', 'Brest'),
    ('Tanguy', 'Morvan', 'tanguy.morvan@example.org', '06 39 98 41 02', 'Manœuvre, matelotage', 48.00, 1,
        'Morvan Marine', '934 522 186 00014', '53290654321', '4 rue de l''Estacade', '29680', 'Roscoff'),
    ('Solène', 'Guillou', 'solene.guillou@example.org', '06 39 98 40 13', 'Management, prise de parole', 56.00, 0,
        NULL, NULL, NULL, '6 rue de Siam', '29200', 'Brest'),
    ('Corentin', 'Bodénès', 'corentin.bodenes@example.org', '06 39 98 41 04', 'Radio maritime, météo', 52.00, 1,
        'Cap Météo', '935 255 315 00019', '53290777888', '12 rue du Sémaphore', '29217', 'Le Conquet'),
    ('Nolwenn', 'Prigent', 'nolwenn.prigent@example.org', '06 39 98 41 05', 'Hygiène, froid, qualité', 45.00, 0,
        NULL, NULL, NULL, NULL, '56100', 'Lorient');

-- Sessions: 60, on working days from two months ago to two months ahead, and one more today.
INSERT INTO public.sessions
    (module, date, debut, fin, modalite, lieu, tarif_client, tarif_sous_traitant, ref_contrat, ecole_id, client_id,
        formateur_id, effectif)
WITH modules (rang, module, formateur, jour) AS (
    VALUES
        (0, 'Survie en mer : radeau et combinaison', 1, 1450), (1, 'Matelotage et nœuds', 2, 690),
        (2, 'Encadrer un équipage', 3, 980), (3, 'Radio VHF : le certificat restreint', 4, 760),
        (4, 'Hygiène et chaîne du froid', 5, 640), (5, 'Lire une carte météo', 4, 720),
        (6, 'Homme à la mer', 1, 1250), (7, 'Amarrage et remorquage', 2, 890)
),
jours AS (
    SELECT i, current_date + (i * 120 / 59 - 60) AS jour FROM generate_series(0, 59) AS i
    UNION ALL
    SELECT 60, current_date
),
planning AS (
    -- Saturdays and Sundays move to the Monday after, but for today's.
    SELECT
        i,
        CASE WHEN i < 60 THEN jour + (8 - extract(isodow FROM jour)::int) * (extract(isodow FROM jour) > 5)::int
            ELSE jour END AS date,
        row_number() OVER (ORDER BY jour, i) AS numero
    FROM jours
),
choisies AS (
    SELECT
        p.*, m.module, m.jour AS tarif, i % 5 = 4 AS est_courte,
        CASE WHEN m.rang = 5 THEN 'D' ELSE 'P' END AS modalite,
        CASE WHEN p.i % 6 = 1 THEN 1 + p.i / 6 % 3 END AS rang_ecole,
        CASE WHEN p.i % 12 <> 1 THEN 1 + p.i * 3 % 7 END AS rang_client,
        CASE WHEN p.date <= current_date OR p.i % 8 <> 5 THEN m.formateur END AS rang_formateur
    FROM planning AS p
    JOIN modules AS m ON m.rang = p.i * 3 % 8
)
SELECT
    c.module,
    c.date,
    time '09:00',
    CASE WHEN c.est_courte THEN time '12:30' ELSE time '17:00' END,
    c.modalite,
    CASE WHEN c.modalite = 'P'
        THEN coalesce(public.adresse(client), public.adresse(ecole), '3 quai de la Douane, 29200 Brest') END,
    CASE WHEN c.est_courte THEN c.tarif / 2 ELSE c.tarif END,
    CASE WHEN formateur.exterieur = 1 OR formateur.id IS NULL THEN round(c.tarif * 0.55, -1) END,
    -- The first company has contracts of these numbers, too.
    CASE WHEN c.i % 4 <> 2 THEN 'CT-' || extract(year FROM c.date) || '-' || lpad(c.numero::text, 3, '0') END,
    ecole.id,
    client.id,
    formateur.id,
    3 + c.i * 5 % 8
FROM choisies AS c
LEFT JOIN (SELECT row_number() OVER (ORDER BY id) AS rang, id FROM public.ecoles WHERE company_id = kernel.company()) AS e
    ON e.rang = c.rang_ecole
LEFT JOIN public.ecoles AS ecole ON ecole.company_id = kernel.company() AND ecole.id = e.id
LEFT JOIN (SELECT row_number() OVER (ORDER BY id) AS rang, id FROM public.clients WHERE company_id = kernel.company()) AS k
    ON k.rang = c.rang_client
LEFT JOIN public.clients AS client ON client.company_id = kernel.company() AND client.id = k.id
LEFT JOIN (SELECT row_number() OVER (ORDER BY id) AS rang, id FROM public.formateurs WHERE company_id = kernel.company()) AS f
    ON f.rang = c.rang_formateur
LEFT JOIN public.formateurs AS formateur ON formateur.company_id = kernel.company() AND formateur.id = f.id
ORDER BY c.date, c.i;

INSERT INTO public.prospects
    (raison_sociale, nom_contact, email, telephone, ville, source, montant_estime, probabilite, prochaine_relance,
        responsable_id)
SELECT
    p.raison_sociale, p.nom_contact, p.email, p.telephone, p.ville, p.source, p.montant, p.probabilite,
    current_date + p.dans,
    (SELECT u.id FROM public.users AS u WHERE u.company_id = kernel.company() ORDER BY u.id OFFSET p.rang % 2 LIMIT 1)
FROM (
    VALUES
        (0, 'Capitainerie de Morgat', 'Hervé Cloarec', 'port@morgat.example', '02 61 91 43 01', 'Crozon', 'Appel', 2900,
            50, 0),
        (1, 'Plongée des Deux Îles', 'Sarah Pennec', 'sarah@deux-iles.example', '02 61 91 43 02', 'Molène', 'Site', 1500,
            30, 5)
) AS p (rang, raison_sociale, nom_contact, email, telephone, ville, source, montant, probabilite, dans)
ORDER BY p.rang;
END
$demo$;
