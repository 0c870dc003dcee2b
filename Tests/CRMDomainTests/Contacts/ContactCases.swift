import JSON

/// A text that `contacts.lire` is called with, and its answer.
struct ContactCase: Sendable {
    let name: String
    let text: String
    var table: String?
    let answer: JSONValue

    init(_ name: String, _ text: String, table: String? = nil, _ answer: JSONValue) {
        (self.name, self.text, self.table, self.answer) = (name, text, table, answer)
    }

    static let vCards = [
        ContactCase(
            "3.0, folded, escaped, grouped",
            """
            BEGIN:VCARD\r
            VERSION:3.0\r
            PRODID:-//Apple Inc.//iOS//FR\r
            N:Mercier;Élisabeth;;Mme;\r
            FN:Mme Élisabeth Mercier\r
            ORG:Cabinet Mercier & Associés\\; Paris;Formation\r
            TITLE:Directrice\r
            item1.EMAIL;type=INTERNET;type=pref:contact@merc\r
             ier.example\r
            TEL;type=FAX:01 99 00 22 00\r
            TEL;type=WORK;type=VOICE:01 99 00 22 04\r
            item2.ADR;type=WORK:;Bât. B;31\\, rue de Courcelles;Paris;;75008;France\r
            URL:https://mercier.example\r
            PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD\r
             AQABAAD\r
            END:VCARD\r

            """,
            [
                "table": "clients",
                "values": [
                    "raison_sociale": "Cabinet Mercier & Associés; Paris", "nom_contact": "Élisabeth Mercier",
                    "email": "contact@mercier.example", "telephone": "01 99 00 22 04",
                    "rue": "Bât. B, 31, rue de Courcelles", "code_postal": "75008", "ville": "Paris",
                ],
                "incompris": [
                    "Mme", "TEL: 01 99 00 22 00", "France", "URL: https://mercier.example", "PHOTO", "Formation",
                    "Directrice",
                ],
            ]),
        ContactCase(
            "2.1, quoted-printable in UTF-8 with soft breaks",
            """
            BEGIN:VCARD
            VERSION:2.1
            N;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:B=C3=A9ranger;Chlo=C3=A9
            TEL;CELL:06 39 98 40 05
            EMAIL;INTERNET:chloe.beranger@example.org
            TITLE;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Communication, r=C3=
            =A9seaux
            END:VCARD
            """,
            [
                "table": "formateurs",
                "values": [
                    "prenom": "Chloé", "nom": "Béranger", "specialite": "Communication, réseaux",
                    "email": "chloe.beranger@example.org", "telephone": "06 39 98 40 05",
                ],
                "incompris": [],
            ]),
        ContactCase(
            "2.1 in ISO 8859-1 and Windows-1252",
            """
            BEGIN:VCARD
            VERSION:2.1
            N;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:Qu=E9m=E9ner;Herv=E9
            ORG;CHARSET=WINDOWS-1252;QUOTED-PRINTABLE:=8Cuvres du Littoral
            END:VCARD
            """, table: "formateurs",
            [
                "table": "formateurs",
                "values": ["prenom": "Hervé", "nom": "Quéméner", "societe": "Œuvres du Littoral", "exterieur": 1],
                "incompris": [],
            ]),
        ContactCase(
            "4.0 with URIs, quoted parameters and preferences",
            """
            BEGIN:VCARD
            VERSION:4.0
            FN:Gaël LE ROUX
            TEL;VALUE=uri;TYPE="voice,work":tel:+33-2-61-91-22-03
            TEL;VALUE=uri;TYPE="cell";PREF=1:tel:+33-6-39-98-40-06;ext=1
            EMAIL;TYPE=work:gael.leroux@example.org
            ADR;LABEL="2 place: Rennes":;;2 place des Lices;Rennes;Bretagne;35000;
            NOTE:SIRET 732 829 320 00074\\nRencontré au salon\\, stand 4
            END:VCARD
            """,
            [
                "table": "formateurs",
                "values": [
                    "prenom": "Gaël", "nom": "LE ROUX", "email": "gael.leroux@example.org",
                    "telephone": "+33-6-39-98-40-06", "siret": "73282932000074", "rue": "2 place des Lices",
                    "code_postal": "35000", "ville": "Rennes",
                ],
                "incompris": ["Bretagne", "Rencontré au salon, stand 4", "+33-2-61-91-22-03"],
            ]),
        ContactCase(
            "a company alone, a second card, an impossible number",
            """
            BEGIN:VCARD
            VERSION:3.0
            FN:Énergies Vertes SAS
            TEL:12
            EMAIL:pas une adresse
            END:VCARD
            BEGIN:VCARD
            VERSION:3.0
            FN:Autre
            END:VCARD
            """,
            [
                "table": "clients", "values": ["raison_sociale": "Énergies Vertes SAS"],
                "incompris": ["12", "EMAIL: pas une adresse", "FN:Autre"],
            ]),
        ContactCase(
            "nothing in it", "BEGIN:VCARD\nEND:VCARD", ["table": "formateurs", "values": [:], "incompris": []]),
    ]

    static let businessCards = [
        ContactCase(
            "a town and a telephone number on one line",
            """
            Imprimerie du Trégor
            Yann Le Goff
            5 rue de l’Église
            22300 Lannion   02 96 11 22 33
            """,
            [
                "table": "clients",
                "values": [
                    "raison_sociale": "Imprimerie du Trégor", "nom_contact": "Yann Le Goff",
                    "telephone": "02 96 11 22 33", "rue": "5 rue de l’Église", "code_postal": "22300",
                    "ville": "Lannion",
                ],
                "incompris": [],
            ]),
        ContactCase(
            "a name and a telephone number on one line", "Anne Petit – Tél. : 02 99 00 00 00\nSARL Petit",
            [
                "table": "clients",
                "values": ["raison_sociale": "SARL Petit", "nom_contact": "Anne Petit", "telephone": "02 99 00 00 00"],
                "incompris": [],
            ]),
        ContactCase(
            "a company with all its numbers",
            """
            Biscuiterie Ker Avel SARL
            Yann Le Bihan
            Directeur commercial
            2 rue du Port
            29900 Concarneau
            Tél. : 02 61 91 22 03 – Mobile : 06 39 98 40 19
            rh@keravel.example
            www.keravel.example
            SIRET : 732 829 320 00074
            TVA : FR 40 303265045
            """,
            [
                "table": "clients",
                "values": [
                    "raison_sociale": "Biscuiterie Ker Avel SARL", "nom_contact": "Yann Le Bihan",
                    "email": "rh@keravel.example", "telephone": "02 61 91 22 03", "siret": "73282932000074",
                    "numero_tva": "FR40303265045", "rue": "2 rue du Port", "code_postal": "29900",
                    "ville": "Concarneau",
                ],
                "incompris": ["www.keravel.example", "Directeur commercial", "06 39 98 40 19"],
            ]),
        ContactCase(
            "a trainer, the address on one line",
            """
            Jérôme NGUYEN
            Formateur Java & Spring
            5, avenue Aristide-Briand – 92120 Montrouge
            +33 6 39 98 40 08 / jerome.nguyen@example.org
            NDA 11921098765
            """,
            [
                "table": "formateurs",
                "values": [
                    "prenom": "Jérôme", "nom": "NGUYEN", "specialite": "Formateur Java & Spring",
                    "email": "jerome.nguyen@example.org", "telephone": "+33 6 39 98 40 08", "nda": "11921098765",
                    "rue": "5, avenue Aristide-Briand", "code_postal": "92120", "ville": "Montrouge",
                ],
                "incompris": [],
            ]),
        ContactCase(
            "a SIRET that is none, and no company",
            """
            Paul Martin
            Formateur indépendant
            14 rue Victor-Hugo
            69002 Lyon
            06 39 98 40 12
            NDA 11 75 12345 67
            SIRET 12345678900011
            """,
            table: "formateurs",
            [
                "table": "formateurs",
                "values": [
                    "prenom": "Paul", "nom": "Martin", "specialite": "Formateur indépendant",
                    "telephone": "06 39 98 40 12", "nda": "11751234567", "rue": "14 rue Victor-Hugo",
                    "code_postal": "69002", "ville": "Lyon",
                ],
                "incompris": ["SIRET 12345678900011"],
            ]),
        ContactCase(
            "a title, a fax, a town in capitals",
            "Mme Odile Bertrand\nMaison Bertrand, traiteur\nF-33000 BORDEAUX CEDEX\nFax 05 36 49 22 16\nT 05 36 49 22 15",
            [
                "table": "clients",
                "values": [
                    "raison_sociale": "Maison Bertrand, traiteur", "nom_contact": "Odile Bertrand",
                    "telephone": "05 36 49 22 15", "code_postal": "33000", "ville": "BORDEAUX CEDEX",
                ],
                "incompris": ["Fax 05 36 49 22 16"],
            ]),
        ContactCase(
            "a title before a name and a number on one line", "M. Yann Le Goff 06 39 98 40 21",
            [
                "table": "formateurs",
                "values": ["prenom": "Yann", "nom": "Le Goff", "telephone": "06 39 98 40 21"], "incompris": [],
            ]),
        ContactCase(
            "an initial in a name before a number", "Paul E. Martin 06 39 98 40 22",
            [
                "table": "formateurs",
                "values": ["prenom": "Paul", "nom": "E. Martin", "telephone": "06 39 98 40 22"], "incompris": [],
            ]),
        ContactCase(
            "a town behind a number", "Tél. 02 61 91 22 33 Lannion",
            [
                "table": "formateurs", "values": ["telephone": "02 61 91 22 33", "ville": "Lannion"], "incompris": [],
            ]),
        ContactCase(
            "a town behind a number, and another with its postcode", "Tél. 02 61 91 22 33 Lannion\n22700 Perros-Guirec",
            [
                "table": "formateurs",
                "values": ["telephone": "02 61 91 22 33", "code_postal": "22700", "ville": "Perros-Guirec"],
                "incompris": ["Lannion"],
            ]),
        ContactCase(
            "labels of one letter and of several words directly before what they label",
            "Anna MÉTIER\nTél. bureau : 02 61 91 22 34 – Ligne directe 02 61 91 22 35\nM : 06 39 98 40 23 | E anna@exemple.fr",
            [
                "table": "formateurs",
                "values": [
                    "prenom": "Anna", "nom": "MÉTIER", "email": "anna@exemple.fr", "telephone": "02 61 91 22 34",
                ],
                "incompris": ["02 61 91 22 35", "06 39 98 40 23"],
            ]),
        ContactCase(
            "words alone", "bonjour à tous",
            ["table": "formateurs", "values": [:], "incompris": ["bonjour à tous"]]),
        ContactCase(
            "a value too long for its column", "\(String(repeating: "Long ", count: 60))SARL",
            [
                "table": "clients", "values": [:],
                "incompris": [.string(String(repeating: "Long ", count: 39) + "Long…")],
            ]),
    ]
}
