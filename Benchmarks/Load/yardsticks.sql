-- What Postgres alone needs for a read, an insert and a search: lean copies of the tables, and of sessions one with a stored,
-- searchable text. None has companies, triggers, checks, rights by row or indexes beyond those named.

CREATE SCHEMA yardstick;

CREATE TABLE yardstick.formateurs AS SELECT id, prenom, nom FROM public.formateurs;
CREATE TABLE yardstick.clients AS SELECT id, raison_sociale FROM public.clients;
CREATE TABLE yardstick.ecoles AS SELECT id, nom FROM public.ecoles;
ALTER TABLE yardstick.formateurs ADD PRIMARY KEY (id);
ALTER TABLE yardstick.clients ADD PRIMARY KEY (id);
ALTER TABLE yardstick.ecoles ADD PRIMARY KEY (id);

-- Primary key, foreign keys and their indexes, the default order.
CREATE TABLE yardstick.sessions (
    id bigserial PRIMARY KEY,
    module varchar(500) NOT NULL,
    date date NOT NULL,
    debut time NOT NULL,
    fin time NOT NULL,
    modalite char(1) NOT NULL,
    lieu text,
    tarif_client decimal(10, 2),
    tarif_sous_traitant decimal(10, 2),
    frais_rembourser decimal(10, 2),
    ref_contrat varchar(100),
    ecole_id bigint REFERENCES yardstick.ecoles (id),
    client_id bigint REFERENCES yardstick.clients (id),
    formateur_id bigint REFERENCES yardstick.formateurs (id),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    version integer NOT NULL DEFAULT 1
);
INSERT INTO yardstick.sessions
SELECT id, module, date, debut, fin, modalite, lieu, tarif_client, tarif_sous_traitant, frais_rembourser, ref_contrat,
       ecole_id, client_id, formateur_id, created_at, updated_at, version
FROM public.sessions ORDER BY id;
SELECT setval('yardstick.sessions_id_seq', max(id)) FROM yardstick.sessions;

-- For reads: primary key, the order by date.
CREATE TABLE yardstick.read (LIKE yardstick.sessions INCLUDING DEFAULTS, PRIMARY KEY (id));
INSERT INTO yardstick.read SELECT * FROM yardstick.sessions ORDER BY id;
CREATE INDEX ON yardstick.read (date, id);

-- The text holds what the server's search finds: module, contract, place, and the names of trainer and client.
CREATE TABLE yardstick.searched (LIKE yardstick.sessions, rech text NOT NULL, PRIMARY KEY (id));
INSERT INTO yardstick.searched
SELECT s.id, s.module, s.date, s.debut, s.fin, s.modalite, s.lieu, s.tarif_client, s.tarif_sous_traitant,
       s.frais_rembourser, s.ref_contrat, s.ecole_id, s.client_id, s.formateur_id, s.created_at, s.updated_at, s.version,
       lower(unaccent(concat_ws(' ', s.module, s.ref_contrat, s.lieu, f.prenom, f.nom, c.raison_sociale)))
FROM yardstick.sessions s
LEFT JOIN public.formateurs f ON f.id = s.formateur_id
LEFT JOIN public.clients c ON c.id = s.client_id
ORDER BY s.id;

CREATE INDEX ON yardstick.sessions (ecole_id);
CREATE INDEX ON yardstick.sessions (client_id);
CREATE INDEX ON yardstick.sessions (formateur_id);
CREATE INDEX ON yardstick.sessions (date DESC, debut, id);
CREATE INDEX ON yardstick.searched (date DESC, debut, id);
CREATE INDEX ON yardstick.searched USING gin (rech gin_trgm_ops) WITH (fastupdate = off);

VACUUM ANALYZE yardstick.sessions, yardstick.read, yardstick.searched, yardstick.formateurs, yardstick.clients, yardstick.ecoles;
