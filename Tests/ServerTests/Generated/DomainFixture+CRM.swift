import CRMDomain
import JSON

extension DomainFixture {
    static let crm = DomainFixture(
        domain: CRM.domain,
        rows: """
            INSERT INTO formateurs (id, prenom, nom, email, taux_horaire)
            SELECT id, 'Élodie', 'Dupré ' || id, 'formateur' || id || '@exemple.fr', 55.50
            FROM generate_series(1101, 1106) AS id;
            INSERT INTO clients (id, raison_sociale) SELECT id, 'Société ' || id FROM generate_series(1201, 1206) AS id;
            INSERT INTO ecoles (id, nom) SELECT id, 'École ' || id FROM generate_series(1301, 1306) AS id;
            INSERT INTO sessions (id, module, date, debut, fin, modalite, tarif_client, formateur_id, client_id, ecole_id)
            SELECT id, 'Module ' || id,
                -- The one without a trainer can be announced: its day is to come.
                CASE id WHEN 1406 THEN '2999-01-14' ELSE date '2026-01-05' + id - 1401 END, '09:00', '17:00', 'P', 1200.50,
                nullif(id - 300, 1106), id - 200, id - 100
            FROM generate_series(1401, 1406) AS id;
            INSERT INTO programmes (id, intitule) SELECT id, 'Programme ' || id FROM generate_series(1801, 1806) AS id;
            INSERT INTO prospects (id, raison_sociale) SELECT id, 'Prospect ' || id FROM generate_series(1501, 1506) AS id;
            INSERT INTO relances (id, prospect_id, date)
            SELECT id, id - 100, '2026-01-12' FROM generate_series(1601, 1603) AS id;
            -- The server sends to no such address.
            INSERT INTO organisme (id, raison_sociale, discord_webhook)
            VALUES (1701, 'Organisme', 'http://127.0.0.1:9/api/webhooks/1/jeton');
            """,
        calls: [
            "formateurs.fusionner": ["garde": 1104, "absorbe": 1105],
            "clients.fusionner": ["garde": 1204, "absorbe": 1205],
            "ecoles.fusionner": ["garde": 1304, "absorbe": 1305],
            "sessions.decaler": ["id": 1404, "date": "2026-03-02"],
            "sessions.repeter": ["id": 1405, "dates": ["2026-03-09", "2026-03-16"]],
            "sessions.attribuer_reference": ["id": 1403],
            "sessions.annoncer": ["id": 1406],
            "prospects.avancer": ["id": 1504, "etape": "contacte"],
            "prospects.convertir": ["id": 1505],
            "organisme.ouvrir": [:],
            "programmes.rattacher": ["id": 1804],
            "doublons.list": ["table": "clients"],
            "relances_du_jour.list": ["jour": "2026-01-12"],
            "conflits.list": ["du": "2026-01-01", "au": "2026-12-31"],
            "formateurs_disponibles.list": ["date": "2026-01-12", "debut": "09:00", "fin": "17:00"],
            "indicateurs.list": ["du": "2026-01-01", "au": "2026-12-31"],
        ])
}
