import CRMDomain
import DomainKit
import Foundation
import JSON
import TestPDF
import TestSupport
import Testing

/// The PDF documents about sessions, read back.
@Suite struct SessionDocumentTests {
    typealias Render = @Sendable ([JSONValue], [String: JSONValue]) throws -> DocumentContent

    static let documents: [(name: String, render: Render)] = [
        ("recapitulatif", { loaded, _ in try CRM.recapitulatif(loaded, ["audience": "interne"]) }),
        ("convention", { try CRM.convention($0, $1) }), ("contrat", { try CRM.contratFormateur($0, $1) }),
        (
            "liste",
            { loaded, _ in
                try CRM.listeDesSessions(
                    [.array([loaded[0]])] + loaded[1...], ["du": "2026-08-01", "au": "2026-08-31"])
            }
        ),
    ]

    static func read(
        _ name: String, _ session: JSONValue = DocumentRecords.session,
        _ organisme: JSONValue = DocumentRecords.organisme
    ) async throws -> ReadPDF {
        let document = try #require(documents.first { $0.name == name })
        return try await ReadPDF(try document.render([session, organisme], [:]).bytes)
    }

    @Test func `the agreement says who agrees, on what, when, where and for which price`() async throws {
        let pdf = try await Self.read("convention")
        #expect(pdf.pages.count == 1)
        for phrase in [
            "Convention de formation professionnelle", "Réf. CT-2026-014", "Formations du Centre SAS",
            "SIRET 552 100 554 00013", "Boulangeries du Val de Loire", "TVA FR40303265045",
            "Représenté par Jean-Noël Lefèvre", "« SwiftUI avancé »", "lundi 3 août 2026", "9 h – 17 h (durée : 8 h)",
            "12 rue de la Paix, 75002 Paris", "1 250,00 € HT", "Fait en deux exemplaires",
            "enregistrée sous le numéro 24370000037 auprès du préfet de région du Centre-Val de Loire.",
            "SAS au capital de 10 000 €.", "Page 1 sur 1",
        ] {
            #expect(pdf.plainText.contains(phrase), "\(phrase)\n\(pdf.plainText)")
        }
        #expect(!pdf.plainText.contains("450,00"))
    }

    /// mends.md, 16: "Article D. 6353-1 asks more than title, date, place, price".
    @Test func `the agreement says what the law asks for`() async throws {
        let pdf = try await Self.read("convention", DocumentRecords.complete, DocumentRecords.completeOrganisme)
        for phrase in [
            "« SwiftUI avancé »", "Public Développeurs iOS", "Prérequis Six mois de pratique de Swift",
            "Effectif 8 stagiaires", "Durée conseillée 14 h 30",
            "Objectifs À l’issue de la formation, le stagiaire saura", "animer une interface",
            "Contenu Matin", "Vues et état", "Accessibilité",
            "Moyens pédagogiques et techniques Un poste par stagiaire.",
            "Suivi de l’exécution et évaluation Feuille d’émargement. Exercice final.",
            "Sanction de la formation Attestation de fin de formation.",
            "Modalités de règlement Paiement à trente jours par virement.", "Clause du client.",
        ] {
            #expect(pdf.plainText.contains(phrase), "\(phrase)\n\(pdf.plainText)")
        }
        let titles = [
            "Objet", "Objectifs et contenu", "Dates, durée et lieu", "Moyens, suivi et sanction", "Prix et règlement",
            "Conditions générales",
        ]
        for (index, title) in titles.enumerated() {
            #expect(pdf.plainText.contains("Article \(index + 1). \(title)"), "\(title)")
        }
        pdf.expectTidyLayout()
    }

    @Test(arguments: ["convention", "contrat"])
    func `an audience that is a list is set as one`(name: String) async throws {
        let programme = DocumentRecords.complete["programme"] ?? .null
        let session = DocumentRecords.complete.with([
            "programme": programme.with([
                "public": "- Développeurs iOS\n- Concepteurs", "prerequis": "Avoir\n• un Mac\n• un téléphone",
            ])
        ])
        let text = try await Self.read(name, session, DocumentRecords.completeOrganisme).plainText
        #expect(text.contains("Public • Développeurs iOS • Concepteurs"), "\(text)")
        // In one of the contracts a page ends between these.
        #expect(text.contains("Prérequis Avoir") && text.contains("• un Mac • un téléphone"), "\(text)")
        #expect(text.contains("Effectif 8 stagiaires"), "\(text)")
    }

    @Test func `the trainer’s contract has the programme to teach, and nothing of what the client pays`() async throws {
        let pdf = try await Self.read("contrat", DocumentRecords.complete, DocumentRecords.completeOrganisme)
        for phrase in [
            "animer une interface", "Accessibilité", "Feuille d’émargement.", "Effectif 8 stagiaires", "14 h 30",
        ] {
            #expect(pdf.plainText.contains(phrase), "\(phrase)\n\(pdf.plainText)")
        }
        #expect(!pdf.plainText.contains("trente jours") && !pdf.plainText.contains("Clause du client"))
        pdf.expectTidyLayout()
    }

    @Test(arguments: ["convention", "contrat"])
    func `a programme of many pages goes on over them`(name: String) async throws {
        let lines = (1...150).map { "\($0 % 3 == 0 ? "Partie" : "- Point") \($0) du programme, dit en quelques mots" }
        let text: JSONValue = .string(lines.joined(separator: "\n"))
        let session = DocumentRecords.complete.with([
            "programme": [
                "objectifs": text, "contenu": .string(String(repeating: "phrase longue ", count: 700)), "moyens": text,
                "public": text,
            ]
        ])
        let pdf = try await Self.read(name, session, DocumentRecords.completeOrganisme)
        #expect(pdf.pages.count > 5)
        #expect(pdf.plainText.ranges(of: "Point 149").count == 3)
        pdf.expectTidyLayout()
    }

    @Test(arguments: [
        ("Lyon 900 777 004", "RCS Lyon 900 777 004"), ("RCS Lyon 900 777 004", "RCS Lyon 900 777 004"),
        ("rcs Lyon 900 777 004", "rcs Lyon 900 777 004"), ("R C S Lyon 900 777 004", "R C S Lyon 900 777 004"),
    ])
    func `a number of the register that begins with RCS gets no second label`(given: String, printed: String)
        async throws
    {
        let organisme = DocumentRecords.organisme.with(["rcs": .string(given)])
        for name in ["convention", "contrat"] {
            let pdf = try await Self.read(name, DocumentRecords.session, organisme)
            let text = pdf.plainText
            // In the frame of the organisation, and at the foot of each page.
            #expect(text.ranges(of: printed).count == 1 + pdf.pages.count, "\(text)")
            #expect(!text.uppercased().contains("RCS R"), "\(text)")
        }
    }

    @Test func `a declaration with the code of no region names no prefect`() async throws {
        let organisme = DocumentRecords.organisme.with(["nda": "99234567890"])
        for name in ["convention", "liste"] {
            let text = try await Self.read(name, DocumentRecords.session, organisme).plainText
            #expect(text.contains("enregistrée sous le numéro 99234567890. Cet enregistrement"), "\(text)")
            #expect(!text.contains("préfet"), "\(text)")
        }
    }

    @Test func `the trainer's contract says the fee, the expenses and their sum, and never the client's price`()
        async throws
    {
        let pdf = try await Self.read("contrat")
        #expect(pdf.pages.count == 1)
        for phrase in [
            "Contrat de sous-traitance de formation", "Élodie Dupont", "Dupont Conseil SARL", "NDA 11755555555",
            "enregistrée sous le numéro 11755555555 auprès du préfet de région d’Île-de-France",
            "Animation de la formation 450,00 € HT", "Frais de déplacement 80,50 €", "530,50 € HT",
        ] {
            #expect(pdf.plainText.contains(phrase), "\(phrase)\n\(pdf.plainText)")
        }
        #expect(!pdf.plainText.contains("1 250,00"))
    }

    @Test(arguments: [
        ("formateur", ["450,00", "80,50"], ["1 250,00", "719,50"]),
        ("client", ["1 250,00"], ["450,00", "80,50", "719,50", "elodie.dupont"]),
        ("interne", ["1 250,00", "450,00", "80,50", "719,50", "elodie.dupont"], []),
    ])
    func `a summary contains what its audience may see`(audience: String, seen: [String], hidden: [String]) async throws
    {
        let bytes = try CRM.recapitulatif(
            [DocumentRecords.session, DocumentRecords.organisme], ["audience": .string(audience)]
        ).bytes
        let text = try await ReadPDF(bytes).plainText
        for amount in seen { #expect(text.contains(amount), "\(amount)\n\(text)") }
        for amount in hidden { #expect(!text.contains(amount), "\(amount)\n\(text)") }
    }

    @Test func `a contract without a price, a client or an organisation leaves room for them`() async throws {
        for name in ["convention", "contrat"] {
            let pdf = try await Self.read(name, DocumentRecords.least, .null)
            #expect(pdf.pages.count == 1)
            #expect(pdf.plainText.contains("À convenir entre les parties"))
            #expect(pdf.plainText.contains("À compléter"))
            #expect(!pdf.plainText.contains("Optional") && !pdf.plainText.contains("null"))
            pdf.expectTidyLayout()
        }
    }

    /// mends.md, 15: "warnings when one merely opens it".
    @Test(arguments: [
        ("convention", "client, tarif client"), ("contrat", "formateur, tarif du sous-traitant"),
    ])
    func `a draft says at its head what it lacks to be signed, and a contract that lacks nothing says no such thing`(
        name: String, ofSession: String
    ) async throws {
        let head = "Projet à compléter Il manque, pour le signer : "
        let ofOrganisation =
            "raison sociale de l’organisme, SIRET de l’organisme, numéro de déclaration d’activité de l’organisme, "
            + "signataire de l’organisme."
        for (session, organisme, list) in [
            (DocumentRecords.least, JSONValue.null, "\(ofSession), \(ofOrganisation)"),
            (DocumentRecords.session, .null, ofOrganisation),
            (DocumentRecords.least, DocumentRecords.organisme, "\(ofSession)."),
            (
                DocumentRecords.session, DocumentRecords.organisme.with(["siret": nil, "signataire": "  "]),
                "SIRET de l’organisme, signataire de l’organisme."
            ),
        ] {
            let text = try await Self.read(name, session, organisme).plainText
            #expect(text.contains(head + list), "\(list)\n\(text)")
        }
        #expect(!(try await Self.read(name)).plainText.contains("Projet"))
    }

    @Test(arguments: ["\u{200B}", "\u{3164}", "\u{AD}\n\u{2060} ", "\u{E0020}"])
    func `a text of which nothing shows is missing`(blank: String) async throws {
        let organisme = DocumentRecords.completeOrganisme.with([
            "raison_sociale": .string(blank), "signataire": .string(blank), "reglement": .string(blank),
        ])
        let text = try await Self.read("convention", DocumentRecords.session, organisme).plainText
        #expect(text.contains("raison sociale de l’organisme, signataire de l’organisme."), "\(text)")
        #expect(!text.contains("Représenté par \(blank)") && !text.contains("Modalités de règlement"), "\(text)")
        let refusal = try #require(CRM.domain.signatures.first).refusal
        let refused = try #require(refusal("sessions.convention", [DocumentRecords.session, [organisme], .null]))
        #expect(JSONValue.object(refused.facts)["manques"] == ["raison_sociale", "signataire"])
    }

    /// mends.md, 16: "Article D. 6353-1 asks more than title, date, place, price".
    @Test func `a draft without a programme says so at its head, and what is signed does not`() async throws {
        let session = DocumentRecords.session.with(["programme": nil])
        for (name, ofLaw) in [("convention", true), ("contrat", false)] {
            let text = try await Self.read(name, session).plainText
            #expect(text.contains("Projet à compléter Sans programme : il ne dit ni les objectifs"), "\(text)")
            #expect(text.contains("l’article D. 6353-1 du Code du travail.") == ofLaw, "\(text)")
            let both = try await Self.read(name, session, .null).plainText
            #expect(both.contains("signataire de l’organisme. Sans programme : "), "\(both)")
        }
        let render = try #require(CRM.domain.signatures.first?.render)
        let signed = try render("sessions.convention", [nil], [session, [DocumentRecords.organisme], .null])
        #expect(!(try await ReadPDF(signed.bytes)).plainText.contains("Projet"))
    }

    /// mends.md, 20: "An article is not torn from page one for two lines".
    @Test(arguments: Array(4...12), [0, 4, 9])
    func `clauses of a line each do not go to the page of the signatures in ones and twos`(count: Int, before: Int)
        async throws
    {
        let organisme = DocumentRecords.organisme.with([
            "reglement": .string((0..<before).map { "Modalité \($0)." }.joined(separator: "\n")),
            "clauses_convention": .string((1...count).map { "Clause\($0) du contrat." }.joined(separator: "\n")),
        ])
        let pdf = try await Self.read("convention", DocumentRecords.session, organisme)
        let last = pdf.pages.count - 1
        let clauses = pdf.pages[last].words.count { $0.text.hasPrefix("Clause") }
        #expect(clauses >= 4, "\(clauses) of \(count)")
        #expect(pdf.text(ofPage: last).contains("Fait en deux exemplaires"))
        pdf.expectTidyLayout()
    }

    @Test func `long clauses are an article of their contract, and the signatures never stand alone`() async throws {
        let conditions = (1...40).map { "Condition \($0). " + String(repeating: "mot ", count: 40) }
        let organisme = DocumentRecords.organisme.with([
            "clauses_convention": .string(conditions.joined(separator: "\n"))
        ])
        let pdf = try await Self.read("convention", DocumentRecords.session, organisme)
        #expect(pdf.pages.count > 1)
        #expect(pdf.plainText.contains("Article 4. Conditions générales Condition 1."))
        let last = pdf.text(ofPage: pdf.pages.count - 1)
        #expect(last.contains("Condition") && last.contains("Fait en deux exemplaires"))
        pdf.expectTidyLayout()
    }

    /// mends.md, 14: "Three texts: `clauses_convention`, `clauses_sous_traitance`, `mentions`".
    @Test func `each contract has its own clauses, and the mentions stand at the foot of every document`() async throws
    {
        let organisme = DocumentRecords.organisme.with([
            "clauses_convention": "Toute session annulée à moins de dix jours est due.\n\nLe client paie à réception.",
            "clauses_sous_traitance": "Le formateur s’interdit de démarcher le client.",
            "mentions": "Membre du réseau.",
        ])
        for (name, own) in [
            ("convention", ["Toute session annulée", "Le client paie"]), ("contrat", ["Le formateur s’interdit"]),
            ("recapitulatif", []), ("liste", []),
        ] {
            let pdf = try await Self.read(name, DocumentRecords.session, organisme)
            for clause in ["Toute session annulée", "Le client paie", "Le formateur s’interdit"] {
                #expect(pdf.plainText.ranges(of: clause).count == (own.contains(clause) ? 1 : 0), "\(name): \(clause)")
            }
            for page in pdf.pages.indices { #expect(pdf.text(ofPage: page).contains("Membre du réseau."), "\(name)") }
        }
    }

    /// Earlier versions of the service took them.
    @Test func `mentions of too many lines leave the page to its content`() async throws {
        let organisme = DocumentRecords.organisme.with(["mentions": .string(String(repeating: "a\n", count: 160))])
        let pdf = try await Self.read("convention", DocumentRecords.session, organisme)
        #expect(pdf.pages.count == 1)
        pdf.expectTidyLayout()
    }

    /// What was one text became clauses and stays mentions.
    @Test func `a contract does not repeat at its foot what is among its clauses`() async throws {
        let text: JSONValue = "SAS au capital de 10 000 €.\nToute session annulée est due."
        let organisme = DocumentRecords.organisme.with([
            "clauses_convention": text, "mentions": .string((text.text ?? "") + "\nMembre du réseau."),
        ])
        let pdf = try await Self.read("convention", DocumentRecords.session, organisme)
        for sentence in ["SAS au capital de 10 000 €.", "Toute session annulée est due."] {
            #expect(pdf.plainText.ranges(of: sentence).count == 1, "\(sentence)\n\(pdf.plainText)")
        }
        #expect(pdf.plainText.ranges(of: "Membre du réseau.").count == pdf.pages.count)
    }

    /// Wherever the paragraph ends, its heading has lines below it, the pages before the last are full but for
    /// an article that is not torn, and the last one has the end of the paragraph.
    @Test(arguments: Array(stride(from: 20, through: 120, by: 5)))
    func `a long paragraph goes on over pages, with its heading and with the signatures`(sentences: Int) async throws {
        let clauses = (1...sentences).map { "Phrase\($0) que le client et l’organisme de formation acceptent ici." }
        let organisme = DocumentRecords.organisme.with(["clauses_convention": .string(clauses.joined(separator: " "))])
        let pdf = try await Self.read("convention", DocumentRecords.session, organisme)
        #expect(pdf.plainText.contains("Article 4. Conditions générales Phrase1 que"))
        let last = pdf.pages.count - 1
        #expect(pdf.text(ofPage: last).contains("Phrase\(sentences) "))
        #expect(pdf.text(ofPage: last).contains("Fait en deux exemplaires"))
        for page in 0..<last {
            let lowest = pdf.pages[page].words.filter { $0.text == "client" || $0.text == "formation" }.map(\.bottom)
                .max()
            #expect(lowest ?? 0 > 500, "page \(page + 1) of \(last + 1)")
        }
        pdf.expectTidyLayout()
    }

    @Test(arguments: documents.map(\.name))
    func `the layout holds with the longest values, emoji and other directions of writing`(name: String) async throws {
        let pdf = try await Self.read(name, DocumentRecords.longest)
        pdf.expectTidyLayout()
        let fonts = try await pdf.fonts()
        let strangers = fonts.filter { !$0.isEmbedded }
        #expect(strangers.isEmpty)
    }

    @Test(arguments: documents.map(\.name))
    func `a document is tagged and made of its records alone, in 300 ms`(name: String) async throws {
        let document = try #require(Self.documents.first { $0.name == name })
        let records = [DocumentRecords.session, DocumentRecords.organisme]
        // The first call of a process loads the configuration of the fonts.
        let first = try document.render(records, [:]).bytes
        var times: [Duration] = []
        for _ in 0..<5 {
            let start = ContinuousClock.now
            let again = try document.render(records, [:]).bytes
            times.append(ContinuousClock.now - start)
            #expect(again == first)
        }
        // The fastest: the machine may have other work.
        let fastest = try #require(times.min())
        #expect(fastest < .milliseconds(300))
        let information = try await ReadPDF(first).information("-isodates")
        #expect(information.contains("2026-07-12T08:30:00"))
        #expect(information.firstMatch(of: #/Tagged: +yes/#) != nil)
    }

    @Test(arguments: documents.map(\.name))
    func `a document looks like its golden picture`(name: String) async throws {
        try await Self.read(name).expectPicture(toMatch: "document-\(name).txt", of: "CRMDomainTests")
    }

    // MARK: The logo

    /// The document with a logo that is loaded.
    private static func content(_ name: String, logo: [UInt8]) throws -> DocumentContent {
        let document = try #require(documents.first { $0.name == name })
        let text = Data(logo).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        return try document.render(
            [DocumentRecords.session, DocumentRecords.organisme, .string(text.replacing("=", with: ""))], [:])
    }

    private static func logo(_ kind: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: try ProjectFiles.root() + "/Tests/Cases/logo.\(kind)")))
    }

    @Test(arguments: documents.map(\.name), ["png", "svg"])
    func `the letterhead shows the logo, and the name beside it`(name: String, kind: String) async throws {
        let plain = try await Self.read(name)
        let content = try Self.content(name, logo: try Self.logo(kind))
        #expect(content.warnings == [])
        let again = try Self.content(name, logo: try Self.logo(kind))
        #expect(content.bytes == again.bytes)
        let pdf = try await ReadPDF(content.bytes)
        let dark = try await pdf.darknessOfLogo(onPage: 0)
        let light = try await plain.darknessOfLogo(onPage: 0)
        #expect(dark > light + 200, "\(dark) and \(light)")
        #expect(pdf.plainText.contains("Formations du Centre SAS"))
        pdf.expectTidyLayout()
    }

    @Test(arguments: documents.map(\.name))
    func `a logo that cannot be read leaves the name in its place, and is told`(name: String) async throws {
        let plain = try #require(Self.documents.first { $0.name == name })
        let expected = try plain.render([DocumentRecords.session, DocumentRecords.organisme], [:])
        #expect(expected.warnings == [])
        for broken in [Array(try Self.logo("png").prefix(60)), Array("<svg".utf8), Array("GIF89a".utf8)] {
            let content = try Self.content(name, logo: broken)
            #expect(content.warnings.count == 1, "\(content.warnings)")
            let pdf = try await ReadPDF(content.bytes)
            #expect(pdf.pages.first?.words.first?.text == "Formations")
            pdf.expectTidyLayout()
        }
    }

    @Test(arguments: [("recapitulatif", "svg"), ("convention", "png"), ("liste", "svg")])
    func `a document with a logo looks like its golden picture`(name: String, kind: String) async throws {
        let pdf = try await ReadPDF(try Self.content(name, logo: try Self.logo(kind)).bytes)
        try await pdf.expectPicture(toMatch: "document-\(name)-logo-\(kind).txt", of: "CRMDomainTests")
    }
}

extension ReadPDF {
    /// The text with plain spaces.
    var plainText: String { text.replacing("\u{A0}", with: " ").replacing("\u{202F}", with: " ") }
}
