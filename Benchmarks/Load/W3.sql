\set client random(1, 2000)
\set formateur random(1, 1000)
INSERT INTO yardstick.sessions AS s (module, date, debut, fin, modalite, lieu, tarif_client, tarif_sous_traitant, frais_rembourser, ref_contrat, client_id, formateur_id) VALUES ('Charge', '2026-05-04', '09:00', '17:00', 'P', 'Paris', 1200.50, 450, 80, 'CT-W3', :client, :formateur) RETURNING row_to_json(s);
