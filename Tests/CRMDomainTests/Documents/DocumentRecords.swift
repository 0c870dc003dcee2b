import JSON

/// Records as the documents load them.
enum DocumentRecords {
    static let session: JSONValue = [
        "module": "SwiftUI avancé", "date": "2026-08-03", "debut": "09:00:00", "fin": "17:00:00",
        "duree_minutes": 480, "modalite": "P", "lieu": "12 rue de la Paix, 75002 Paris",
        "tarif_client": .number("1250.00"), "tarif_sous_traitant": .number("450.00"),
        "frais_rembourser": .number("80.50"), "marge": .number("719.50"), "ref_contrat": "CT-2026-014",
        "updated_at": "2026-07-12T08:30:00.123+00:00",
        "formateur": [
            "nom_complet": "Élodie Dupont", "societe": "Dupont Conseil SARL", "siret": "732 829 320 00074",
            "nda": "11755555555", "rue": "4 impasse des Lilas", "code_postal": "69003", "ville": "Lyon",
            "email": "elodie.dupont@exemple.fr", "telephone": "06 12 34 56 78",
        ],
        "client": [
            "raison_sociale": "Boulangeries du Val de Loire", "nom_contact": "Jean-Noël Lefèvre",
            "siret": "303 265 045 00017", "numero_tva": "FR40303265045", "rue": "18 quai Saint-Michel",
            "code_postal": "37000", "ville": "Tours", "email": "achats@client.example", "telephone": "01 40 00 00 00",
        ],
        "ecole": ["nom": "École du numérique", "nom_contact": "Anaïs Martin", "ville": "Nantes"],
        // It has a title alone.
        "programme": ["updated_at": "2026-07-02T08:30:00+00:00"],
    ]

    /// A session with everything that an agreement says of its training.
    static let complete: JSONValue = session.with([
        "effectif": 8,
        "programme": [
            "objectifs":
                "À l’issue de la formation, le stagiaire saura\u{202F}:\n- structurer une vue\n- animer une interface",
            "public": "Développeurs iOS", "prerequis": "Six mois de pratique de Swift",
            "contenu": "Matin\n• Vues et état\n• Navigation\nAprès-midi\n– Animations\n– Accessibilité",
            "moyens": "Un poste par stagiaire.", "suivi_evaluation": "Feuille d’émargement.\nExercice final.",
            "sanction": "Attestation de fin de formation.", "duree_conseillee": .number("14.50"),
            "updated_at": "2026-07-02T08:30:00+00:00",
        ],
    ])

    static let completeOrganisme: JSONValue = organisme.with([
        "reglement": "Paiement à trente jours par virement.", "clauses_convention": "Clause du client.",
        "clauses_sous_traitance": "Clause du formateur.",
    ])

    /// A session with the required values only.
    static let least: JSONValue = [
        "module": "Excel", "date": "2026-08-01", "debut": "13:30:00", "fin": "14:15:00", "duree_minutes": 45,
        "modalite": "D", "lieu": "À distance", "tarif_client": nil, "tarif_sous_traitant": nil,
        "frais_rembourser": nil, "marge": nil, "ref_contrat": nil, "formateur": nil, "client": nil, "ecole": nil,
    ]

    static let organisme: JSONValue = [
        "raison_sociale": "Formations du Centre SAS", "rue": "5 place Plumereau", "code_postal": "37000",
        "ville": "Tours", "siret": "552 100 554 00013", "nda": "24370000037", "numero_tva": "FR32552100554",
        "rcs": "Tours B 552 100 554", "telephone": "02 47 00 00 00", "email": "contact@formations.example",
        "signataire": "Marie Curie", "mentions": "SAS au capital de 10 000 €.",
        "updated_at": "2026-07-01T08:30:00+00:00",
    ]

    /// The longest values that the columns accept, and places without a limit.
    static let longest: JSONValue = session.with([
        "module": .string(String(repeating: "Interminable ", count: 38) + "fin"),
        "lieu": .string(String(repeating: "zone industrielle\n", count: 400)),
        "ref_contrat": .string(String(repeating: "R", count: 100)), "tarif_client": .number("99999999.99"),
        "tarif_sous_traitant": .number("99999999.99"), "frais_rembourser": .number("99999999.99"),
        "marge": .number("-99999999.99"),
        "client": [
            "raison_sociale": .string(String(repeating: "Donaudampfschiff", count: 15)),
            "nom_contact": "محمد عبد الله الأنصاري", "rue": .string(String(repeating: "rue ", count: 900)),
            "email": .string(String(repeating: "a", count: 240) + "@exemple.fr"),
        ],
        "formateur": ["nom_complet": "👩‍🏫 שָׁלוֹם \u{202E}evil 田中太郎 ﷽"],
    ])
}
