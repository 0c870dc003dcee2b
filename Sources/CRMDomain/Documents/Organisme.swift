import DomainKit
import JSON
import TextEncodings

/// The training organisation that issues a document. Each of its values may be missing.
struct Organisme {
    let name: String
    let address: [String]
    let siret: String?
    let nda: String?
    let vat: String?
    let rcs: String?
    let phone: String?
    let email: String?
    /// PNG or SVG.
    let logo: [UInt8]?
    /// A note at the foot of its documents, a paragraph on each line.
    let mentions: [String]
    /// The clauses of its agreements with clients, and of its contracts with trainers, a paragraph on each line.
    let agreementClauses: [String]
    let subcontractClauses: [String]
    /// How and when clients pay, a paragraph on each line.
    let paymentTerms: [String]
    /// Who signs for it.
    let signatory: String?

    /// The selection of the record for a contract.
    static let contractSelection = "{ \(columns) clauses_convention clauses_sous_traitance reglement }"
    /// That for other documents, which need not wait for long clauses.
    static let selection = "{ \(columns) }"

    private static let columns =
        "raison_sociale rue code_postal ville siret nda numero_tva rcs telephone email logo mentions signataire updated_at"

    /// - Parameters:
    ///   - record: the organisation, in the form of `selection` or `contractSelection`; null if there is none yet.
    ///   - logo: the bytes of its logo as they are loaded; null without one.
    init(_ record: JSONValue, logo: JSONValue = .null) {
        name = record.line("raison_sociale") ?? "Organisme de formation"
        address = record.addressLines
        siret = record.line("siret", atMost: 40)
        nda = record.line("nda", atMost: 60)
        vat = record.line("numero_tva", atMost: 40)
        rcs = record.line("rcs", atMost: 120)
        phone = record.line("telephone", atMost: 40)
        email = record.line("email", atMost: 255)
        signatory = record.line("signataire", atMost: 200)
        mentions = record.paragraphs("mentions")
        agreementClauses = record.paragraphs("clauses_convention")
        subcontractClauses = record.paragraphs("clauses_sous_traitance")
        paymentTerms = record.paragraphs("reglement")
        self.logo = logo.text.flatMap { Base64URL.decode($0.utf8) }
    }

    /// - Parameter loaded: the organisation or the list that contains it, and its logo.
    init(_ loaded: some Collection<JSONValue>) {
        let record = loaded.first ?? .null
        self.init(record.firstRecord, logo: loaded.dropFirst().first ?? .null)
    }

    /// The number of a declaration of activity, and who keeps it, if the number names a region.
    static func declared(_ nda: String) -> String {
        // A prefect of no region would say nothing.
        guard let region = DeclarationRegion.complement(of: nda) else { return nda }
        return "\(nda) auprès du préfet de région \(region)"
    }

    /// Mentions of more characters or lines are left out at the foot of a page. Earlier versions of the service took them.
    private static let longestNote = 320
    private static let mostNoteLines = 6

    /// The foot of a page.
    ///
    /// - Parameter clauses: those of the document. What is among them is not repeated at the foot.
    func foot(besides clauses: [String] = []) -> [String] {
        let length = mentions.reduce(0) { $0 + $1.unicodeScalars.count }
        let fits = length <= Self.longestNote && mentions.count <= Self.mostNoteLines
        return identification + (fits ? mentions : []).filter { !clauses.contains($0) }
    }

    /// What the law wants on each page, and how to reach the organisation.
    private var identification: [String] {
        let identity = [name] + address + [phone.map { "Tél.\u{A0}\($0)" }, email].compactMap(\.self)
        let numbers = [
            siret?.labelled("SIRET"), rcs?.labelled("RCS"), vat?.labelled("TVA"),
        ].compactMap(\.self)
        // The words are those of articles R. 6351-6 and L. 6352-12 of the Code du travail.
        let declaration = nda.map {
            "Déclaration d’activité enregistrée sous le numéro \(Self.declared($0)). "
                + "Cet enregistrement ne vaut pas agrément de l’État."
        }
        return [identity.joined(separator: " · "), numbers.joined(separator: " · ").unlessEmpty, declaration]
            .compactMap(\.self)
    }
}

extension JSONValue {
    /// A text as paragraphs, one on each of its lines. Blank lines are left out.
    func paragraphs(_ name: String) -> [String] {
        (self[name]?.text ?? "").split(whereSeparator: \.isNewline)
            .map { String($0).onOneLine(joinedBy: " ") }.filter { !$0.isBlank }
    }
}
