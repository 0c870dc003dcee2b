package import DomainKit
package import JSON
import PDF

extension CRM {
    /// `sessions.recapitulatif`: a session on one page, with the prices of its audience only.
    package static func recapitulatif(
        _ loaded: [JSONValue], _ parameters: [String: JSONValue]
    ) throws -> DocumentContent {
        let audience = parameters["audience"]?.text.flatMap(Audience.init(rawValue:)) ?? .formateur
        return try SessionDocument(loaded, for: audience).recapitulatif(for: audience).content()
    }
}

extension SessionDocument {
    fileprivate func recapitulatif(for audience: Audience) -> PDFDocument {
        let note = audience == .interne ? "Document interne, à ne pas diffuser" : nil
        var blocks: [PDFBlock] = [
            .space(14), .paragraph("RÉCAPITULATIF DE SESSION", DocumentStyle.label),
            .heading(PDFText(session.module), level: 1),
        ]
        blocks += subtitle(note)
        blocks += [.heading("Organisation", level: 2), .fields(practicalities())]
        let people = people(for: audience)
        if !people.isEmpty { blocks += [.heading("Contacts", level: 2)] + people }
        if !session.prices.isEmpty { blocks += [.heading("Conditions financières", level: 2), prices] }
        return sheet(title: title("Récapitulatif"), blocks)
    }

    /// Who is involved. A client does not see how to reach the trainer, nor a trainer what identifies the client.
    private func people(for audience: Audience) -> [PDFBlock] {
        var columns: [PDFColumn] = []
        if audience != .client, let client { columns.append(client.card("CLIENT")) }
        if audience == .interne, let formateur { columns.append(formateur.card("FORMATEUR")) }
        if let ecole { columns.append(ecole.card("ÉCOLE")) }
        guard columns.count == 1 else { return columns.isEmpty ? [] : [.columns(columns)] }
        return [.columns(columns + [PDFColumn([])])]
    }

    private var prices: PDFBlock {
        let typography = FrenchTypography.printed
        var rows: [PDFTable.Row] = []
        for price in session.prices {
            let isMargin = price.label == "Marge"
            rows.append(
                PDFTable.Row([PDFText(price.label), PDFText(typography.taxless(price.amount))], isEmphasized: isMargin))
            if let extra = price.extra {
                rows.append(PDFTable.Row(["Frais de déplacement", PDFText(typography.amount(extra.amount))]))
            }
        }
        return .table(.amounts(rows))
    }
}

extension DocumentParty {
    /// How to reach the party, in a frame.
    fileprivate func card(_ part: String) -> PDFColumn {
        var blocks: [PDFBlock] = [
            .paragraph(PDFText(part), DocumentStyle.label), .paragraph(.bold(name), PDFTextStyle(size: 10.5)),
        ]
        for line in [company].compactMap(\.self) + address + [contact, phone, email].compactMap(\.self) {
            blocks.append(.paragraph(PDFText(line), DocumentStyle.small))
        }
        return PDFColumn(isFramed: true, blocks)
    }
}

extension PDFTable {
    /// Labels with amounts.
    static func amounts(_ rows: [Row]) -> PDFTable {
        PDFTable(
            columns: [Column("Désignation", share: 3), Column("Montant", share: 1, alignment: .trailing)], rows: rows,
            size: 9.5)
    }
}

extension FrenchTypography {
    /// `1 250,00 € HT`.
    func taxless(_ digits: String) -> String { amount(digits) + "\(noBreakSpace)HT" }
}
