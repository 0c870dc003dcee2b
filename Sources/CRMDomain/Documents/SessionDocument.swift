import DomainKit
import JSON
import PDF

/// What the documents about one session have in common: the session, the organisation and the sheet.
struct SessionDocument {
    let session: SharedSession
    let organisme: Organisme
    let client: DocumentParty?
    let formateur: DocumentParty?
    let ecole: DocumentParty?
    let audience: Audience
    /// For whom each of those signs who sign through a link; nil: it is signed on paper.
    let signers: [SigningParty]?
    let programme: Programme?
    /// How many people it is for.
    let places: Int?
    /// Of the newest of the records.
    let created: String

    /// The parameter of a contract that is signed through a link: for whom each signatory signs. No call gives it: the documents
    /// of signatures do.
    static let signedOnline = "signe_en_ligne"

    /// The selection of the session. The organisation is loaded after it.
    static let selection = """
        {
          module date debut fin duree_minutes modalite lieu
          tarif_client tarif_sous_traitant frais_rembourser marge ref_contrat effectif updated_at
          formateur { nom_complet exterieur societe siret nda rue code_postal ville email telephone updated_at }
          client { raison_sociale nom_contact siret numero_tva rue code_postal ville email telephone updated_at }
          ecole { nom nom_contact rue code_postal ville email telephone updated_at }
          programme \(Programme.selection)
        }
        """

    /// - Parameters:
    ///   - loaded: the session, the organisation or the list that contains it, and its logo.
    ///   - audience: the readers of the document. The value has the prices for them and no others.
    ///   - parameters: those of the method, and ``signedOnline``.
    init(_ loaded: [JSONValue], for audience: Audience, _ parameters: [String: JSONValue] = [:]) {
        self.audience = audience
        signers =
            if case .array(let parties)? = parameters[Self.signedOnline] {
                parties.compactMap { $0.text.flatMap(SigningParty.init(rawValue:)) }
            } else {
                nil
            }
        let record = loaded.first ?? .null
        let organisation = loaded.count > 1 ? loaded[1].firstRecord : .null
        session = SharedSession(record, for: audience)
        organisme = Organisme(loaded.dropFirst())
        client = DocumentParty(client: record["client"])
        formateur = DocumentParty(formateur: record["formateur"])
        ecole = DocumentParty(ecole: record["ecole"])
        programme = Programme(record["programme"])
        places = record["effectif"]?.digits.flatMap { Int($0) }
        created = DocumentDate.newest(
            of: [record, record["client"], record["formateur"], record["ecole"], record["programme"], organisation]
                .compactMap(\.self),
            else: record["date"]?.text)
    }

    /// A sheet with the head and the foot of the organisation.
    ///
    /// - Parameter clauses: those of a contract, which the foot does not repeat.
    func sheet(title: String, clauses: [String] = [], _ blocks: [PDFBlock]) -> PDFDocument {
        organisme.sheet(title: title, created: created, clauses: clauses, blocks)
    }

    /// The title and what the session is called, for the title of a document.
    func title(_ kind: String) -> String {
        [kind, session.reference, session.module.unlessEmpty].compactMap(\.self).joined(separator: " – ")
    }

    /// `Réf. CT-2026-014`, below a heading, after what else stands there.
    func subtitle(_ text: String?) -> [PDFBlock] {
        let parts = [text, session.reference.map { "Réf.\u{A0}\($0)" }].compactMap(\.self)
        return parts.isEmpty ? [] : [.paragraph(PDFText(parts.joined(separator: " · ")), DocumentStyle.lead)]
    }

    /// When and where the session is.
    func practicalities(withTrainer: Bool = true) -> [PDFField] {
        let typography = FrenchTypography.printed
        var fields: [PDFField] = []
        func add(_ label: String, _ value: String?) {
            if let value { fields.append(PDFField(PDFText(label), PDFText(value))) }
        }
        add("Date", session.date.map(typography.day))
        let length = session.minutes.flatMap { $0 > 0 ? " (durée\u{202F}: \(typography.length(minutes: $0)))" : nil }
        add("Horaires", session.times.map { typography.span($0.debut, $0.fin) + (length ?? "") })
        add("Modalité", session.modality)
        // A remote session's default place only repeats the modality.
        add("Lieu", session.isRemote == true && session.lieu == "À distance" ? nil : session.lieu)
        if withTrainer { add("Formateur", formateur?.name) }
        add("École", ecole?.name)
        return fields
    }
}

extension Organisme {
    /// A sheet with this organisation's head, on its first page, and foot.
    func sheet(
        title: String, created: String, page: PDFDocument.Page = .a4, clauses: [String] = [],
        _ blocks: [PDFBlock]
    ) -> PDFDocument {
        PDFDocument(
            title: title, author: name, language: "fr-FR", created: created, page: page,
            blocks: [letterhead] + blocks, footer: foot(besides: clauses), runningHead: (title, name),
            pageLabel: { page, count in "Page\u{A0}\(page) sur\u{A0}\(count)" })
    }

    /// The logo, or the name, and how to reach the organisation.
    private var letterhead: PDFBlock {
        let title = PDFBlock.paragraph(.bold(name), PDFTextStyle(size: 14, leading: 1.25))
        let sign =
            logo.map {
                PDFBlock.image(PDFImage($0, maxPixels: FileKind.maxPixels, else: [title]), width: 170, height: 52)
            } ?? title
        let lines = [logo == nil ? nil : name] + address + [phone, email]
        let style = PDFTextStyle(size: 8, color: DocumentStyle.muted, alignment: .trailing, leading: 1.35)
        return .columns([
            PDFColumn(share: 1, [sign]),
            PDFColumn(share: 1, [.paragraph(PDFText(lines.compactMap(\.self).joined(separator: "\n")), style)]),
        ])
    }
}

/// Dates of records as the documents need them.
enum DocumentDate {
    /// The newest `updated_at`, without parts of seconds; else a day; else the day before which no record is.
    static func newest(of records: [JSONValue], else day: String?) -> String {
        if let newest = records.compactMap({ $0["updated_at"]?.text }).max() {
            guard let point = newest.firstIndex(of: ".") else { return newest }
            return String(newest[..<point]) + newest[point...].drop { $0 == "." || $0.isNumber }
        }
        return "\(day ?? "2000-01-01")T00:00:00Z"
    }
}

extension JSONValue {
    /// The record itself, or the first of an array.
    var firstRecord: JSONValue {
        if case .array(let records) = self { records.first ?? .null } else { self }
    }
}

extension PDFDocument {
    /// The document as a method answers it.
    func content() throws -> DocumentContent {
        let (bytes, warnings) = try written()
        return DocumentContent(bytes, warnings: warnings)
    }
}
