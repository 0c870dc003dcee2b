import DomainKit
import JSON
import PDF

/// A company or a person that a document names, with what it knows of it.
struct DocumentParty {
    let name: String
    /// What stands below the name: the company of a trainer.
    var company: String?
    /// The street, and the town.
    let address: [String]
    var contact: String?
    let email: String?
    let phone: String?
    /// Names of registers with the numbers there.
    let numbers: [(label: String, number: String)]

    init?(client: JSONValue?) {
        guard let client, let name = client.line("raison_sociale") else { return nil }
        self.init(
            name: name, of: client, numbers: [("SIRET", client.line("siret")), ("TVA", client.line("numero_tva"))])
        contact = client.line("nom_contact")
    }

    init?(ecole: JSONValue?) {
        guard let ecole, let name = ecole.line("nom") else { return nil }
        self.init(name: name, of: ecole, numbers: [])
        contact = ecole.line("nom_contact")
    }

    init?(formateur: JSONValue?) {
        guard let formateur, let name = formateur.line("nom_complet") else { return nil }
        self.init(
            name: name, of: formateur, numbers: [("SIRET", formateur.line("siret")), ("NDA", formateur.line("nda"))])
        company = formateur.line("societe")
    }

    init(_ organisme: Organisme) {
        name = organisme.name
        address = organisme.address
        email = organisme.email
        phone = organisme.phone
        numbers = [("SIRET", organisme.siret), ("NDA", organisme.nda), ("TVA", organisme.vat), ("RCS", organisme.rcs)]
            .compactMap { label, number in number.map { (label, $0) } }
        contact = organisme.signatory
    }

    private init(name: String, of record: JSONValue, numbers: [(String, String?)]) {
        self.name = name
        address = record.addressLines
        email = record.line("email", atMost: 255)
        phone = record.line("telephone", atMost: 40)
        self.numbers = numbers.compactMap { label, number in number.map { (label, $0) } }
    }

    /// The party in a frame: its part in the matter, its name and what identifies it.
    func frame(_ part: String, representedBy: String? = nil) -> PDFColumn {
        var blocks: [PDFBlock] = [
            .paragraph(PDFText(part), DocumentStyle.label),
            .paragraph(.bold(name), PDFTextStyle(size: 11)),
        ]
        for line in [company].compactMap(\.self) + address {
            blocks.append(.paragraph(PDFText(line), DocumentStyle.small))
        }
        // A number stays on one line with its label.
        let numbers = numbers.map { $0.number.labelled($0.label).replacing(" ", with: "\u{A0}") }
        if !numbers.isEmpty {
            blocks += [.space(3), .paragraph(PDFText(numbers.joined(separator: " · ")), DocumentStyle.small)]
        }
        let reached = [phone, email].compactMap(\.self).joined(separator: " · ")
        if !reached.isEmpty { blocks += [.space(3), .paragraph(PDFText(reached), DocumentStyle.small)] }
        if let representedBy {
            blocks += [.space(3), .paragraph(PDFText("Représenté par \(representedBy)"), DocumentStyle.small)]
        }
        return PDFColumn(isFramed: true, blocks)
    }

    /// The frame of a party that is not known yet: lines to write on.
    static func unknown(_ part: String) -> PDFColumn {
        PDFColumn(
            isFramed: true,
            [
                .paragraph(PDFText(part), DocumentStyle.label),
                .paragraph("À compléter", PDFTextStyle(size: 11, color: DocumentStyle.muted)),
                .space(18), .rule, .space(18), .rule, .space(8),
            ])
    }
}

extension String {
    /// This number of a register after the register's name, which it may begin with already: `RCS Lyon 900 777 004`.
    func labelled(_ label: String) -> String {
        let start = filter { !$0.isWhitespace }.prefix(label.count).uppercased()
        return start == label.uppercased() ? self : "\(label)\u{A0}\(self)"
    }
}

/// The styles that the documents have in common.
enum DocumentStyle {
    static let muted = PDFColor(0x5B6775)
    static let warning = PDFColor(0xB42318)
    static let label = PDFTextStyle(size: 7.5, isBold: true, color: muted)
    static let small = PDFTextStyle(size: 9, leading: 1.35)
    static let note = PDFTextStyle(size: 8.5, color: muted, leading: 1.35)
    static let lead = PDFTextStyle(size: 11, color: muted)
}

extension JSONValue {
    /// A text on one line, at most so many characters; nil if it is missing, or nothing of it shows.
    func line(_ name: String, atMost limit: Int = 600) -> String? {
        guard let text = self[name]?.text, !text.isBlank else { return nil }
        return text.onOneLine(joinedBy: ", ").clipped(limit)
    }

    /// The street, and the postcode with the town; else the address on one line.
    var addressLines: [String] {
        let town = [line("code_postal", atMost: 20), line("ville", atMost: 120)].compactMap(\.self)
            .joined(separator: "\u{A0}")
        let lines = [line("rue", atMost: 2_000), town.unlessEmpty].compactMap(\.self)
        return lines.isEmpty ? [line("adresse", atMost: 2_000)].compactMap(\.self) : lines
    }
}

extension String {
    var unlessEmpty: String? { isEmpty ? nil : self }
}
