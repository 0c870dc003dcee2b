-- Demo data: a small training organisation around today's date. Not a migration: `learntrack seed` runs it, and so
-- does psql. It adds no records if the company has a session, a trainer, a client or a school already.
--
-- The same every time but for the day it runs on: no chance in it. Companies, numbers and addresses are invented:
-- telephone numbers come from the ranges reserved for fiction, mail goes to domains that cannot be registered.

SET client_encoding = 'UTF8';

DO $demo$
BEGIN
IF EXISTS (SELECT FROM public.sessions AS s WHERE s.company_id = kernel.company())
    OR EXISTS (SELECT FROM public.formateurs AS f WHERE f.company_id = kernel.company())
    OR EXISTS (SELECT FROM public.clients AS c WHERE c.company_id = kernel.company())
    OR EXISTS (SELECT FROM public.ecoles AS e WHERE e.company_id = kernel.company())
THEN
    RAISE NOTICE 'the database holds data already: no demo data added';
    RETURN;
END IF;

INSERT INTO public.organisme
    (raison_sociale, rue, code_postal, ville, siret, nda, numero_tva, rcs, telephone, email, mentions, signataire,
        clauses_convention, clauses_sous_traitance, reglement, annonces_auto, discord_webhook, logo)
VALUES
    ('Cap Savoirs', '18 rue des Arts', '69003', 'Lyon', '900 777 004 00012', '84691234567', 'FR70900777004',
        'RCS Lyon 900 777 004', '04 65 71 00 00', 'bonjour@cap-savoirs.example',
        'SARL au capital de 10 000 €', 'Claire Fontaine, gérante',
        E'Toute annulation par le client à moins de dix jours ouvrés du début de la formation est facturée pour moitié.'
        '\nEn application de l’article L. 6354-1 du Code du travail, ce qui n’a pas été exécuté est remboursé.'
        '\nEn cas de différend, les parties cherchent un accord amiable avant de saisir le tribunal de Lyon.',
        E'Le formateur exécute sa mission en toute indépendance, avec les moyens qu’il choisit.'
        '\nIl s’interdit de démarcher le client pendant la formation et douze mois après elle.'
        '\nIl remet la feuille d’émargement signée au plus tard trois jours après la session.',
        E'Par virement à trente jours, sur facture envoyée après la formation avec la feuille d’émargement.'
        '\nLe client qui a l’accord d’un opérateur de compétences le transmet avant la formation ; ce que l’opérateur ne'
        ' paie pas reste dû par le client.',
        -- No host has this name: an announcement stays in the outbox.
        false, 'https://discord.example/api/webhooks/1/demo',
        (SELECT logo.id
        FROM public.users AS u
        CROSS JOIN LATERAL kernel.file_put(u.id, 'image/svg+xml', convert_to(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><circle cx="32" cy="32" r="30" fill="#1d4e89"/>'
            '<path d="M20 40 32 18 44 40z" fill="#f4b942"/></svg>', 'UTF8')) AS logo
        WHERE u.email = 'admin@demo.learntrack.fr'))
ON CONFLICT DO NOTHING;

INSERT INTO public.ecoles (nom, rue, code_postal, ville, nom_contact, email, telephone)
VALUES
    ('École du Numérique de Paris', '14 rue des Petites Écuries', '75010', 'Paris', 'Hélène Garnier',
        'contact@ecole-numerique.example', '01 99 00 10 10'),
    ('Institut Supérieur du Digital', '3 quai Perrache', '69002', 'Lyon', 'Marc Vasseur',
        'scolarite@isd.example', '04 65 71 10 20'),
    ('Campus Web Nantes', '8 allée des Tanneurs', '44000', 'Nantes', 'Aurélie Le Goff',
        'nantes@campus-web.example', '02 61 91 10 30'),
    ('Académie des Métiers du Code', '27 rue Alsace-Lorraine', '31000', 'Toulouse', 'Benoît Fabre',
        'planning@amc.example', '05 36 49 10 40'),
    ('Lycée Ada-Lovelace, BTS SIO', '52 boulevard Carnot', '59800', 'Lille', 'Sandrine Delattre',
        'bts@lycee-lovelace.example', '03 53 01 10 50'),
    ('Haute École Léonard', '45 avenue Louise', 'B-1050', 'Bruxelles', 'Thomas Peeters',
        'formation@leonard.example', '+32 2 555 12 60');

INSERT INTO public.clients
    (raison_sociale, rue, code_postal, ville, nom_contact, email, telephone, siret, numero_tva)
VALUES
    ('Atelier Mécanique du Rhône', '112 route de Vienne', '69007', 'Lyon', 'Gérard Blanc',
        'g.blanc@amr.example', '04 65 71 22 01', '900 112 004 00016', 'FR69900112004'),
    ('Banque Coopérative de l''Ouest', '5 place Royale', '44000', 'Nantes', 'Nolwenn Kerbrat',
        'formation@bco.example', '02 61 91 22 02', '900 845 132 00019', 'FR75900845132'),
    ('Biscuiterie Ker Avel', '2 rue du Port', '29900', 'Concarneau', 'Yann Le Bihan',
        'rh@keravel.example', '02 61 91 22 03', '901 578 260 00019', 'FR81901578260'),
    ('Cabinet Mercier & Associés', '31 rue de Courcelles', '75008', 'Paris', 'Élisabeth Mercier',
        'contact@mercier.example', '01 99 00 22 04', '902 311 398 00017', 'FR20902311398'),
    ('Centre hospitalier de la Vallée', '1 avenue de l''Hôpital', '38000', 'Grenoble', 'Docteur Anaïs Rey',
        'formation@ch-vallee.example', '04 65 71 22 05', '903 044 527 00013', NULL),
    ('Clinique Saint-Rémi', '19 rue Chanzy', '51100', 'Reims', 'Pascale Thiébault',
        NULL, '03 53 01 22 06', '903 777 654 00018', 'FR32903777654'),
    ('Communauté de communes du Vexin', '4 place de la Mairie', '95450', 'Vigny', 'Françoise Petit',
        'dgs@cc-vexin.example', '01 99 00 22 07', NULL, NULL),
    ('Coopérative Les Vergers d''Aquitaine', 'Lieu-dit Le Bourg', '47300', 'Villeneuve-sur-Lot', 'Jean-Noël Castets',
        'direction@vergers.example', '05 36 49 22 08', '904 510 781 00019', 'FR35904510781'),
    ('Éditions du Marronnier', '66 rue Monge', '75005', 'Paris', 'Inès Chevallier',
        'ines@marronnier.example', '01.99.00.22.09', '905 243 911 00013', 'FR47905243911'),
    ('Énergies Vertes SAS', '200 rue Paradis', '13006', 'Marseille', 'Karim Haddad',
        'k.haddad@energies-vertes.example', '04 65 71 22 10', '905 977 047 00018', 'FR77905977047'),
    ('Garage Hôtelier du Lac', '12 quai des Marquisats', '74000', 'Annecy', NULL,
        'accueil@garage-lac.example', '04 65 71 22 11', NULL, NULL),
    ('Imprimerie Lefebvre', '7 rue de la Monnaie', '59000', 'Lille', 'Rémi Lefebvre',
        'remi@imprimerie-lefebvre.example', '03 53 01 22 12', '906 710 173 00012', 'FR77906710173'),
    ('Laboratoires Noëlia', '88 avenue de la République', '92120', 'Montrouge', 'Maëlle Dupuis',
        'formation@noelia.example', '+33 1 99 00 22 13', '907 443 303 00017', 'FR89907443303'),
    ('Logistique Transalpine', '15 chemin des Cèdres', '73000', 'Chambéry', 'Paolo Rinaldi',
        'p.rinaldi@transalpine.example', '04 65 71 22 14', '908 176 431 00017', 'FR95908176431'),
    ('Maison Bertrand, traiteur', '23 rue Sainte-Catherine', '33000', 'Bordeaux', 'Odile Bertrand',
        'odile@maison-bertrand.example', '05 36 49 22 15', '908 909 567 00012', 'FR28908909567'),
    ('Mutuelle des Artisans', '9 boulevard Heurteloup', '37000', 'Tours', 'Stéphane Huet',
        's.huet@mutuelle-artisans.example', '02 61 91 22 16', '909 642 696 00019', 'FR37909642696'),
    ('Nordlicht GmbH', 'Friedrichstraße 120', '10117', 'Berlin', 'Jürgen Schäfer',
        'schaefer@nordlicht.example', '+49 30 23125 017', NULL, 'DE136695976'),
    ('Œuvres sociales du Littoral', '40 rue Faidherbe', '62200', 'Boulogne-sur-Mer', 'Béatrice Wattel',
        'contact@osl.example', '03 53 01 22 18', '910 375 823 00010', NULL),
    ('Studio Pixel & Cie', '3 rue Sainte', '13001', 'Marseille', 'Léa Fontaine',
        'lea@pixel.example', '04 65 71 22 19', '911 108 959 00014', 'FR70911108959'),
    ('Transports Garcia', '150 route d''Espagne', '31100', 'Toulouse', 'Manuel Garcia',
        'm.garcia@transports-garcia.example', '05 36 49 22 20', '911 842 086 00017', 'FR73911842086'),
    ('Verrerie de la Bresle', '61 rue du Maréchal-Foch', '76260', 'Eu', 'Solène Duval',
        NULL, NULL, '912 575 214 00016', 'FR79912575214');

INSERT INTO public.formateurs
    (prenom, nom, email, telephone, specialite, taux_horaire, exterieur, societe, siret, nda, rue, code_postal, ville)
VALUES
    ('Élodie', 'Lefèvre', 'elodie.lefevre@example.org', '06 39 98 40 01', 'Swift, SwiftUI et iOS', 65.00, 0,
        NULL, NULL, NULL, '18 rue Oberkampf', '75011', 'Paris'),
    ('Anne', 'Lefebvre', 'anne.lefebvre@example.org', '06.39.98.40.02', 'Gestion de projet, Scrum', 55.00, 1,
        'Agilité & Co', '913 308 342 00017', '11756543210', '4 rue Nationale', '59800', 'Lille'),
    ('Zoé', 'Lefevre', 'zoe.lefevre@example.org', '+33 6 39 98 40 03', 'UX design, Figma', 48.50, 1,
        'Zoé Lefevre Design', '914 041 470 00016', '93131234567', '10 cours Julien', '13006', 'Marseille'),
    ('François', 'Dupont', 'francois.dupont@example.org', '06 39 98 40 04', 'Excel, Power BI', 42.00, 0,
        NULL, NULL, NULL, '7 rue de Bretagne', '75003', 'Paris'),
    ('Chloé', 'Béranger', 'chloe.beranger@example.org', '06 39 98 40 05', 'Communication, réseaux sociaux', 45.00, 1,
        'Béranger Conseil', '914 774 609 00012', '84691122334', '33 montée de la Grande-Côte', '69001', 'Lyon'),
    ('Gaël', 'Le Roux', 'gael.leroux@example.org', '06 39 98 40 06', 'Linux, Docker, Kubernetes', 70.00, 1,
        'Breizh Ops', '915 507 735 00016', '53350987654', '2 place des Lices', '35000', 'Rennes'),
    ('Noémie', 'Marchand', 'noemie.marchand@example.org', '06 39 98 40 07', 'Ressources humaines, droit du travail',
        58.00, 0, NULL, NULL, NULL, '21 rue Crébillon', '44000', 'Nantes'),
    ('Jérôme', 'Nguyen', 'jerome.nguyen@example.org', '06 39 98 40 08', 'Java, Spring Boot', 62.00, 1,
        'JN Formation', '916 240 864 00014', '11921098765', '5 avenue Aristide-Briand', '92120', 'Montrouge'),
    ('Maïté', 'Etcheverry', 'maite.etcheverry@example.org', '06 39 98 40 09', 'Anglais et espagnol professionnels',
        40.00, 1, 'Langues du Sud-Ouest', '916 973 993 00014', '72640456789', '12 rue d''Espagne', '64100', 'Bayonne'),
    ('Cédric', 'Moreau', 'cedric.moreau@example.org', '06 39 98 40 10', 'Cybersécurité', 75.00, 1,
        'Rempart Numérique', '917 707 127 00010', '76310654321', '9 rue de Metz', '31000', 'Toulouse'),
    ('Inès', 'Benali', 'ines.benali@example.org', '06 39 98 40 11', 'Python, data science', 68.00, 0,
        NULL, NULL, NULL, '40 rue de Belleville', '75020', 'Paris'),
    ('Raphaël', 'Klein', 'raphael.klein@example.org', '06 39 98 40 12', 'Intelligence artificielle', 80.00, 1,
        'Klein IA', '918 440 256 00017', '44670345678', '1 quai des Bateliers', '67000', 'Strasbourg'),
    ('Solène', 'Guillou', 'solene.guillou@example.org', '06 39 98 40 13', 'Management, prise de parole', 52.00, 0,
        NULL, NULL, NULL, '6 rue de Siam', '29200', 'Brest'),
    ('Théo', 'Da Silva', 'theo.dasilva@example.org', '06 39 98 40 14', 'React, TypeScript', 60.00, 1,
        'Théo Da Silva EI', '919 173 385 00015', '75330567890', '88 cours de la Marne', '33800', 'Bordeaux'),
    ('Mélanie', 'Perrin', 'melanie.perrin@example.org', '06 39 98 40 15', 'Comptabilité, Sage', 44.00, 0,
        NULL, NULL, NULL, '15 rue de la Liberté', '21000', 'Dijon'),
    ('Loïc', 'Gauthier', 'loic.gauthier@example.org', '06 39 98 40 16', 'PostgreSQL, SQL', 66.00, 1,
        'Gauthier Data', '919 906 511 00010', '24370678901', '27 rue Bernard-Palissy', '37000', 'Tours'),
    ('Aïcha', 'Traoré', 'aicha.traore@example.org', '06 39 98 40 17', 'Accueil et relation client', 38.00, 0,
        NULL, NULL, NULL, '3 rue Kléber', '93100', 'Montreuil'),
    ('Bénédicte', 'de La Tour', 'benedicte.delatour@example.org', '06 39 98 40 18', 'Qualité, Qualiopi', 57.50, 1,
        'BLT Qualité', '920 639 648 00012', '11780789012', '2 rue de Satory', '78000', 'Versailles'),
    ('Hervé', 'Quéméner', 'herve.quemener@example.org', '06 39 98 40 19', 'Sécurité au travail, SST', 41.00, 0,
        NULL, NULL, NULL, NULL, '29000', 'Quimper'),
    ('Joséphine', 'Brun', 'josephine.brun@example.org', '06 39 98 40 20', 'WordPress, référencement', 46.00, 1,
        'Brun Web', '921 372 777 00018', '84380890123', '14 cours Berriat', '38000', 'Grenoble'),
    ('Karl', 'Öztürk', 'karl.ozturk@example.org', '06 39 98 40 21', 'DevOps, CI/CD', 72.00, 1,
        'Öztürk Consulting', '922 105 903 00012', '44680901234', '8 rue du Sauvage', '68100', 'Mulhouse'),
    ('Léon', 'Œuvrard', 'leon.oeuvrard@example.org', '06 39 98 40 22', 'Photoshop, InDesign', 43.00, 1,
        'Atelier Œuvrard', '922 839 030 00017', '27390012345', '11 rue du Commerce', '39000', 'Lons-le-Saunier'),
    ('Marie-Ève', 'Tremblay', 'marie-eve.tremblay@example.org', '+1 514 555 0123', 'Facilitation graphique', 50.00, 1,
        'Trait d''union', NULL, NULL, '4200 rue Saint-Denis', 'H2J 2K8', 'Montréal'),
    ('Sébastien', 'Roche', 'sebastien.roche@example.org', '06 39 98 40 24', 'Réseaux, Cisco', 61.00, 0,
        NULL, NULL, NULL, '30 boulevard Desaix', '63000', 'Clermont-Ferrand'),
    ('Valérie', 'Petitjean', 'valerie.petitjean@example.org', NULL, NULL, NULL, 0,
        NULL, NULL, NULL, NULL, NULL, NULL);

-- Programmes of some of what is taught. Sessions get them by their modules.
INSERT INTO public.programmes
    (intitule, objectifs, public, prerequis, contenu, duree_conseillee, moyens, suivi_evaluation, sanction)
SELECT
    p.*, 'Alternance d’apports et d’exercices, un poste par stagiaire, support remis à chacun.',
    'Feuille d’émargement signée par demi-journée' || E'\nÉvaluation des acquis par un exercice en fin de formation',
    'Attestation de fin de formation.'
FROM (VALUES
    ('SwiftUI avancé',
        E'- Structurer une application en vues et en modèles'
        '\n- Animer une interface et la rendre accessible'
        '\n- Mesurer et corriger les lenteurs d’un écran',
        'Développeurs iOS', 'Six mois de pratique de Swift',
        E'Matin'
        '\n- Vues, état et flux de données'
        '\n- Navigation et présentation'
        '\nAprès-midi'
        '\n- Animations et gestes'
        '\n- Accessibilité : VoiceOver et tailles de texte'
        '\n- Instruments : trouver ce qui ralentit',
        7),
    ('Excel : tableaux croisés dynamiques',
        E'- Préparer des données pour l’analyse'
        '\n- Créer, filtrer et mettre en forme un tableau croisé'
        '\n- Présenter ses chiffres par un graphique',
        'Toute personne qui utilise Excel', 'Connaître les formules simples',
        E'- Données en tableau, doublons et formats'
        '\n- Champs, regroupements et calculs'
        '\n- Segments et chronologies'
        '\n- Graphiques croisés',
        7),
    ('Scrum : les fondamentaux',
        E'- Expliquer les rôles, les évènements et les artefacts de Scrum'
        '\n- Tenir un carnet de produit'
        '\n- Animer une mêlée et une rétrospective',
        'Chefs de projet et équipes', 'Aucun',
        E'- Valeurs et principes agiles'
        '\n- Rôles, évènements, artefacts'
        '\n- Estimer et ordonner le carnet'
        '\n- Jeu : un sprint en une heure',
        7),
    ('Cybersécurité : les bons réflexes',
        E'- Reconnaître un hameçonnage'
        '\n- Choisir et garder ses mots de passe'
        '\n- Réagir à un incident',
        'Tout public', 'Aucun',
        E'- Les attaques d’aujourd’hui, par l’exemple'
        '\n- Mots de passe et double authentification'
        '\n- Nomadisme et données personnelles'
        '\n- Qui prévenir, et quoi ne pas faire',
        7),
    ('Sauveteur secouriste du travail',
        E'- Protéger, examiner, alerter, secourir'
        '\n- Contribuer à la prévention dans l’entreprise',
        'Salariés volontaires', 'Aucun',
        E'- Le rôle du sauveteur secouriste'
        '\n- Protéger et examiner'
        '\n- Faire alerter'
        '\n- Secourir : saignement, étouffement, malaise, arrêt cardiaque',
        14)
) AS p (intitule, objectifs, public, prerequis, contenu, duree_conseillee);

-- Sessions: 260, on working days from five months ago to four months ahead, and two more today.
INSERT INTO public.sessions
    (module, date, debut, fin, modalite, lieu, tarif_client, tarif_sous_traitant, frais_rembourser, ref_contrat,
        ecole_id, client_id, formateur_id, effectif)
WITH modules (rang, module, formateur, jour) AS (
    -- What is taught, by which trainer of the list above, and its price for a day.
    VALUES
        (0, 'SwiftUI avancé', 1, 1200), (1, 'Scrum : les fondamentaux', 2, 980), (2, 'Figma pour débutants', 3, 850),
        (3, 'Excel : tableaux croisés dynamiques', 4, 720), (4, 'Animer une communauté en ligne', 5, 790),
        (5, 'Docker et Kubernetes', 6, 1350), (6, 'Droit du travail pour managers', 7, 1050),
        (7, 'Spring Boot : API REST', 8, 1180), (8, 'Anglais professionnel, niveau B2', 9, 640),
        (9, 'Cybersécurité : les bons réflexes', 10, 1400), (10, 'Python pour l''analyse de données', 11, 1250),
        (11, 'Intelligence artificielle générative au bureau', 12, 1500), (12, 'Prise de parole en public', 13, 890),
        (13, 'React et TypeScript', 14, 1150), (14, 'Comptabilité générale', 15, 690),
        (15, 'PostgreSQL : requêtes et performances', 16, 1280), (16, 'Accueil téléphonique', 17, 560),
        (17, 'Préparer l''audit Qualiopi', 18, 1100), (18, 'Sauveteur secouriste du travail', 19, 610),
        (19, 'WordPress : créer son site', 20, 760), (20, 'Intégration continue avec GitLab', 21, 1320),
        (21, 'InDesign : la mise en page', 22, 780), (22, 'Facilitation graphique', 23, 830),
        (23, 'Réseaux d''entreprise', 24, 1020)
),
horaires (rang, debut, fin, part) AS (
    VALUES
        (0, time '09:00', time '17:00', 1.0), (1, time '09:30', time '17:30', 1.0),
        (2, time '09:00', time '12:30', 0.5), (3, time '13:30', time '17:00', 0.5), (4, time '08:30', time '16:30', 1.0)
),
jours AS (
    SELECT i, current_date + (i * 270 / 259 - 150) AS jour FROM generate_series(0, 259) AS i
    UNION ALL
    SELECT 260 + i, current_date FROM generate_series(0, 1) AS i
),
planning AS (
    -- Saturdays and Sundays move to the Monday after; today's two stay, so that there is always something to see.
    SELECT
        i,
        CASE WHEN i < 260 THEN jour + (8 - extract(isodow FROM jour)::int) * (extract(isodow FROM jour) > 5)::int
            ELSE jour END AS date,
        row_number() OVER (ORDER BY jour, i) AS numero
    FROM jours
),
choisies AS (
    SELECT
        p.i, p.date, p.numero, m.module, h.debut, h.fin, h.part,
        m.jour AS tarif_jour,
        -- Three of ten at a distance.
        CASE WHEN p.i * 7 % 10 < 3 THEN 'D' ELSE 'P' END AS modalite,
        -- Every seventh for a school, and of these every other without a company.
        CASE WHEN p.i % 7 = 3 THEN 1 + p.i / 7 % 6 END AS rang_ecole,
        CASE WHEN p.i % 14 <> 3 THEN 1 + p.i * 5 % 21 END AS rang_client,
        -- Of those to come, every ninth still looks for its trainer.
        CASE WHEN p.date <= current_date OR p.i % 9 <> 4 THEN m.formateur END AS rang_formateur
    FROM planning AS p
    JOIN modules AS m ON m.rang = p.i * 11 % 24
    JOIN horaires AS h ON h.rang = p.i * 3 % 5
)
SELECT
    c.module,
    c.date,
    c.debut,
    c.fin,
    c.modalite,
    CASE WHEN c.modalite = 'P'
        THEN coalesce(public.adresse(client), public.adresse(ecole), '12 rue de la Paix, 75002 Paris') END,
    CASE WHEN c.i % 23 <> 11 THEN c.tarif_jour * c.part END,
    CASE WHEN formateur.exterieur = 1 OR formateur.id IS NULL THEN round(c.tarif_jour * c.part * 0.55, -1) END,
    CASE WHEN c.modalite = 'P' AND formateur.ville IS DISTINCT FROM client.ville
        THEN (ARRAY[80.00, 45.50, 120.00, 62.40])[1 + c.i % 4] END,
    CASE WHEN c.i % 5 <> 2 THEN 'CT-' || extract(year FROM c.date) || '-' || lpad(c.numero::text, 3, '0') END,
    ecole.id,
    client.id,
    formateur.id,
    4 + c.i * 5 % 9
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
ORDER BY c.date, c.debut, c.i;

-- Two records that say the same as an older one, for doublons.list.
INSERT INTO public.clients (raison_sociale, code_postal, ville, nom_contact, telephone)
VALUES ('GARCIA TRANSPORTS SARL', '31100', 'Toulouse', NULL, '+33 5 36 49 22 20');
INSERT INTO public.formateurs (prenom, nom, email) VALUES ('Ines', 'BENALI', 'i.benali@example.org');

-- Prospects. Their stages change along the documented ways. The accounts of the demo data follow them in turn.
INSERT INTO public.prospects
    (raison_sociale, nom_contact, email, telephone, ville, source, montant_estime, probabilite, prochaine_relance,
        responsable_id)
SELECT
    p.raison_sociale, p.nom_contact, p.email, p.telephone, p.ville, p.source, p.montant, p.probabilite,
    current_date + p.dans,
    (SELECT u.id FROM public.users AS u ORDER BY u.id OFFSET p.rang % 2 LIMIT 1)
FROM (
    VALUES
        (0, 'Menuiserie Kervella', 'Soizic Kervella', 'contact@kervella.example', '02 61 91 33 01', 'Vannes',
            'Site', 4800, 70, 12),
        (1, 'Office de tourisme du Mont-Vert', 'Julie Charpin', 'j.charpin@mont-vert.example', '04 65 71 33 02',
            'Chambéry', 'Salon Formation', 2600, 20, 0),
        (2, 'Pharmacie de l''Étoile', 'Nadia Lahlou', NULL, '01 99 00 33 03', 'Paris', 'Recommandation', 1400, 40, NULL),
        (3, 'Chantiers Marchetti', 'Enzo Marchetti', 'enzo@marchetti.example', '04 65 71 33 04', 'Nice', 'Appel', 9200,
            60, NULL),
        (4, 'Librairie La Plume', 'Claire Aubin', 'claire@laplume.example', NULL, 'Angers', 'Site', 900, 0, NULL),
        (5, 'Biscuiterie Ker Avel', 'Yann Le Bihan', 'rh@keravel.example', '02 61 91 22 03', 'Concarneau',
            'Ancien client', 3100, 100, NULL)
) AS p (rang, raison_sociale, nom_contact, email, telephone, ville, source, montant, probabilite, dans)
ORDER BY p.rang;
UPDATE public.prospects AS p SET etape = 'contacte'
WHERE p.company_id = kernel.company()
    AND p.raison_sociale IN ('Menuiserie Kervella', 'Pharmacie de l''Étoile', 'Chantiers Marchetti');
UPDATE public.prospects AS p SET etape = 'proposition'
WHERE p.company_id = kernel.company()
    AND p.raison_sociale IN ('Menuiserie Kervella', 'Chantiers Marchetti');
UPDATE public.prospects AS p SET etape = 'perdu', motif = 'Formation trouvée ailleurs'
WHERE p.company_id = kernel.company() AND p.raison_sociale = 'Librairie La Plume';
UPDATE public.prospects AS p
SET etape = 'gagne', client_id = (
        SELECT c.id FROM public.clients AS c
        WHERE c.company_id = p.company_id AND c.raison_sociale = p.raison_sociale)
WHERE p.company_id = kernel.company() AND p.raison_sociale = 'Biscuiterie Ker Avel';
INSERT INTO public.relances (prospect_id, date, canal, note, faite)
SELECT p.id, current_date + r.dans, r.canal, r.note, r.faite
FROM (
    VALUES
        ('Pharmacie de l''Étoile', -9, 'telephone', 'Premier contact, rappeler après l''inventaire', true),
        ('Pharmacie de l''Étoile', -1, 'telephone', 'Demander la date de la formation à l''accueil', false),
        ('Chantiers Marchetti', 0, 'email', 'Envoyer le devis SST pour douze personnes', false),
        ('Chantiers Marchetti', 7, 'rendez_vous', 'Visite du chantier', false)
) AS r (nom, dans, canal, note, faite)
JOIN public.prospects AS p ON p.company_id = kernel.company() AND p.raison_sociale = r.nom;

-- The mails of this morning, as if they had left.
INSERT INTO public.relances_courriels (responsable_id, jour, est_parti)
SELECT r.responsable_id, current_date, true FROM public.responsables_a_relancer(current_date) AS r;
INSERT INTO kernel.outbox (kind, record_id, not_before, attempts, first_tried_at, sent_at, created_at)
SELECT 'prospects.relances', c.responsable_id, le, 1, le, le + interval '1 second', le
FROM public.relances_courriels AS c, (VALUES (now() - interval '1 minute')) AS ce_matin (le)
WHERE c.company_id = kernel.company()
ORDER BY c.responsable_id;
-- A document that waits for two signatures. It is a small example, because SQL makes no documents of sessions.
IF EXISTS (SELECT FROM public.users WHERE role = 'admin') THEN
    PERFORM set_config('learntrack.account', (SELECT min(id)::text FROM public.users WHERE role = 'admin'), true);
    PERFORM kernel.signature_stage(
        'signatures', 'sessions.convention',
        jsonb_build_object('id', (SELECT min(s.id) FROM public.sessions AS s WHERE s.company_id = kernel.company())),
        'Convention (exemple).pdf',
        decode('
        JVBERi0xLjQKJbXtrvsKMSAwIG9iago8PCAvVHlwZSAvQ2F0YWxvZyAvUGFnZXMgMiAwIFIgL0xhbmcgKGZyLUZSKSAvTWFya0luZm8g
        PDwgL01hcmtlZCB0cnVlID4+IC9WaWV3ZXJQcmVmZXJlbmNlcyA8PCAvRGlzcGxheURvY1RpdGxlIHRydWUgPj4gL1N0cnVjdFRyZWVS
        b290IDcgMCBSID4+CmVuZG9iagoyIDAgb2JqCjw8IC9UeXBlIC9QYWdlcyAvS2lkcyBbIDMgMCBSIF0gL0NvdW50IDEgPj4KZW5kb2Jq
        CjMgMCBvYmoKPDwgL1R5cGUgL1BhZ2UgL1BhcmVudCAyIDAgUiAvTWVkaWFCb3ggWyAwIDAgNTk1IDg0MiBdIC9Db250ZW50cyA0IDAg
        UiAvUmVzb3VyY2VzIDw8IC9Gb250IDw8IC9GMSA1IDAgUiAvRjIgNiAwIFIgPj4gPj4gL1N0cnVjdFBhcmVudHMgMCA+PgplbmRvYmoK
        NCAwIG9iago8PCAvTGVuZ3RoIDM1MSA+PgpzdHJlYW0KL0gxIDw8L01DSUQgMD4+IEJEQyBCVCAvRjIgMTggVGYgNTYgNzYwIFRkIChD
        b252ZW50aW9uIGRlIGZvcm1hdGlvbikgVGogRVQgRU1DCi9QIDw8L01DSUQgMT4+IEJEQyBCVCAvRjEgMTEgVGYgNTYgNzMwIFRkIChE
        b2N1bWVudCBkZSBk6W1vbnN0cmF0aW9uIDogaWwgbW9udHJlIGNvbW1lbnQgdW4gZG9jdW1lbnQgc2UgbGl0IGV0IHNlIHNpZ25lIHBh
        ciB1biBsaWVuLikgVGogRVQgRU1DCi9QIDw8L01DSUQgMj4+IEJEQyBCVCAvRjEgMTEgVGYgNTYgNzEyIFRkIChMZXMgdnJhaWVzIGNv
        bnZlbnRpb25zIHNvbnQgcHJvZHVpdGVzIHBhciBsYSBt6XRob2RlIHNlc3Npb25zLmNvbnZlbnRpb24uKSBUaiBFVCBFTUMKZW5kc3Ry
        ZWFtCmVuZG9iago1IDAgb2JqCjw8IC9UeXBlIC9Gb250IC9TdWJ0eXBlIC9UeXBlMSAvQmFzZUZvbnQgL0hlbHZldGljYSAvRW5jb2Rp
        bmcgL1dpbkFuc2lFbmNvZGluZyA+PgplbmRvYmoKNiAwIG9iago8PCAvVHlwZSAvRm9udCAvU3VidHlwZSAvVHlwZTEgL0Jhc2VGb250
        IC9IZWx2ZXRpY2EtQm9sZCAvRW5jb2RpbmcgL1dpbkFuc2lFbmNvZGluZyA+PgplbmRvYmoKNyAwIG9iago8PCAvVHlwZSAvU3RydWN0
        VHJlZVJvb3QgL1BhcmVudFRyZWUgOCAwIFIgL0sgWyAxMCAwIFIgMTEgMCBSIDEyIDAgUiBdID4+CmVuZG9iago4IDAgb2JqCjw8IC9O
        dW1zIFsgMCA5IDAgUiBdID4+CmVuZG9iago5IDAgb2JqClsgMTAgMCBSIDExIDAgUiAxMiAwIFIgXQplbmRvYmoKMTAgMCBvYmoKPDwg
        L1R5cGUgL1N0cnVjdEVsZW0gL1MgL0gxIC9QIDcgMCBSIC9QZyAzIDAgUiAvSyAwID4+CmVuZG9iagoxMSAwIG9iago8PCAvVHlwZSAv
        U3RydWN0RWxlbSAvUyAvUCAvUCA3IDAgUiAvUGcgMyAwIFIgL0sgMSA+PgplbmRvYmoKMTIgMCBvYmoKPDwgL1R5cGUgL1N0cnVjdEVs
        ZW0gL1MgL1AgL1AgNyAwIFIgL1BnIDMgMCBSIC9LIDIgPj4KZW5kb2JqCjEzIDAgb2JqCjw8IC9UaXRsZSAoQ29udmVudGlvbiBkZSBm
        b3JtYXRpb24sIGV4ZW1wbGUpID4+CmVuZG9iagp4cmVmCjAgMTQKMDAwMDAwMDAwMCA2NTUzNSBmIAowMDAwMDAwMDE1IDAwMDAwIG4g
        CjAwMDAwMDAxNzYgMDAwMDAgbiAKMDAwMDAwMDIzNSAwMDAwMCBuIAowMDAwMDAwMzkwIDAwMDAwIG4gCjAwMDAwMDA3OTEgMDAwMDAg
        biAKMDAwMDAwMDg4OCAwMDAwMCBuIAowMDAwMDAwOTkwIDAwMDAwIG4gCjAwMDAwMDEwNzkgMDAwMDAgbiAKMDAwMDAwMTExOCAwMDAw
        MCBuIAowMDAwMDAxMTU4IDAwMDAwIG4gCjAwMDAwMDEyMjkgMDAwMDAgbiAKMDAwMDAwMTI5OSAwMDAwMCBuIAowMDAwMDAxMzY5IDAw
        MDAwIG4gCnRyYWlsZXIKPDwgL1NpemUgMTQgL1Jvb3QgMSAwIFIgL0luZm8gMTMgMCBSID4+CnN0YXJ0eHJlZgoxNDMzCiUlRU9GCg==', 'base64'));
    PERFORM kernel.signature_request(
        '{}', '[{"name": "Claire Aubin", "email": "claire@laplume.example"},
            {"name": "Enzo Marchetti", "email": "enzo@marchetti.example"}]');
    PERFORM set_config('learntrack.account', '', true);
END IF;
END
$demo$;
