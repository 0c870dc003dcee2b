package import DomainKit
package import JSON
import PDF

extension CRM {
    /// `sessions.convention`: the agreement between the organisation and the client of a session.
    package static func convention(_ loaded: [JSONValue], _ parameters: [String: JSONValue]) throws -> DocumentContent {
        let missing = ContractNeed.missing(for: "sessions.convention", loaded)
        return try SessionDocument(loaded, for: .client, parameters).convention(missing: missing).content()
    }

    /// `sessions.contrat_formateur`: the subcontract between the organisation and the trainer of a session.
    package static func contratFormateur(_ loaded: [JSONValue], _ parameters: [String: JSONValue]) throws
        -> DocumentContent
    {
        let missing = ContractNeed.missing(for: "sessions.contrat_formateur", loaded)
        return try SessionDocument(loaded, for: .formateur, parameters).contratFormateur(missing: missing).content()
    }
}

extension SessionDocument {
    fileprivate func convention(missing: [ContractNeed]) -> PDFDocument {
        let kind = "Convention de formation professionnelle"
        let organisation = DocumentParty(organisme)
        var articles = Articles()
        articles.add(
            "Objet",
            [
                .paragraph(
                    "L’organisme de formation s’engage à organiser, pour le client, l’action de formation intitulée "
                        + name + ", au sens de l’article L.\u{A0}6313-1 du Code du travail.")
            ] + people)
        articles.add("Objectifs et contenu", aims)
        articles.add("Dates, durée et lieu", [.fields(practicalities())])
        articles.add("Moyens, suivi et sanction", conduct)
        articles.add(
            "Prix et règlement",
            priceBlocks(.init(fee: "Prix de la formation", total: nil))
                + Programme.section("Modalités de règlement", organisme.paymentTerms))
        articles.add("Conditions générales", organisme.agreementClauses.map { .paragraph(PDFText($0)) })
        let parties = [
            organisation.frame("L’ORGANISME DE FORMATION", representedBy: organisme.signatory),
            client.map { $0.frame("LE CLIENT", representedBy: $0.contact) } ?? DocumentParty.unknown("LE CLIENT"),
        ]
        return contract(
            kind, basis: "Articles L.\u{A0}6353-1 et D.\u{A0}6353-1 du Code du travail", missing, parties: parties,
            articles,
            clauses: organisme.agreementClauses,
            signatures: [("Pour l’organisme de formation", organisme.signatory), ("Pour le client", client?.contact)])
    }

    fileprivate func contratFormateur(missing: [ContractNeed]) -> PDFDocument {
        let kind = "Contrat de sous-traitance de formation"
        var articles = Articles()
        let declaration = formateur?.numbers.first { $0.label == "NDA" }.map {
            " Le formateur exerce sous la déclaration d’activité enregistrée sous le numéro\u{A0}\(Organisme.declared($0.number))."
        }
        articles.add(
            "Objet",
            [
                .paragraph(
                    "Le donneur d’ordre confie au formateur, qui l’accepte, l’animation de l’action de formation intitulée "
                        + name + (client.map { PDFText(", organisée pour \($0.name)") } ?? "") + "."
                        + PDFText(declaration ?? ""))
            ])
        articles.add("Programme", aims + people)
        articles.add("Dates, durée et lieu", [.fields(practicalities(withTrainer: false))])
        articles.add("Moyens, suivi et sanction", conduct)
        articles.add(
            "Rémunération",
            priceBlocks(.init(fee: "Animation de la formation", total: "Total à facturer par le formateur")))
        articles.add("Conditions générales", organisme.subcontractClauses.map { .paragraph(PDFText($0)) })
        let parties = [
            DocumentParty(organisme).frame("LE DONNEUR D’ORDRE", representedBy: organisme.signatory),
            formateur?.frame("LE FORMATEUR") ?? DocumentParty.unknown("LE FORMATEUR"),
        ]
        return contract(
            kind, basis: nil, missing, parties: parties, articles, clauses: organisme.subcontractClauses,
            signatures: [("Pour le donneur d’ordre", organisme.signatory), ("Le formateur", formateur?.name)])
    }

    // MARK: The programme

    /// Whom the training is for, how many people, and how long it takes.
    private var people: [PDFBlock] {
        let number = places.map { "\($0)\u{A0}stagiaire\($0 == 1 ? "" : "s")" }
        let texts = [("Public", programme?.audience ?? []), ("Prérequis", programme?.prerequisites ?? [])]
        let numbers = [
            ("Effectif", number),
            ("Durée conseillée", programme?.minutes.map(FrenchTypography.printed.length(minutes:))),
        ]
        let fields = (texts.map { ($0, Programme.line($1)) } + numbers)
            .compactMap { label, value in value.map { PDFField(PDFText(label), PDFText($0)) } }
        let lists = texts.filter { Programme.line($1) == nil }.flatMap { Programme.section($0, $1) }
        return (fields.isEmpty ? [] : [.space(4), .fields(fields)]) + lists
    }

    private var aims: [PDFBlock] {
        guard let programme else { return [] }
        return Programme.section("Objectifs", programme.objectives) + Programme.section("Contenu", programme.content)
    }

    private var conduct: [PDFBlock] {
        guard let programme else { return [] }
        return Programme.section("Moyens pédagogiques et techniques", programme.means)
            + Programme.section("Suivi de l’exécution et évaluation", programme.assessment)
            + Programme.section("Sanction de la formation", programme.outcome)
    }

    /// The name of the training in quotation marks.
    private var name: PDFText { PDFText("«\u{A0}") + .bold(session.module) + "\u{A0}»" }

    private func contract(
        _ kind: String, basis: String?, _ missing: [ContractNeed], parties: [PDFColumn], _ articles: Articles,
        clauses: [String],
        signatures: [(part: String, name: String?)]
    ) -> PDFDocument {
        var blocks: [PDFBlock] = [.space(4), .heading(PDFText(kind), level: 1)]
        blocks += subtitle(basis)
        blocks += notice(missing)
        blocks.append(.columns(parties))
        // The end of the last article stands on the page of the signatures, which would otherwise sign an empty page.
        let (articles, end) = articles.split
        blocks += articles
        blocks.append(.together(end + closing(signatures)))
        return sheet(title: title(kind), clauses: clauses, blocks)
    }

    /// What a draft lacks, at its head.
    private func notice(_ missing: [ContractNeed]) -> [PDFBlock] {
        let list =
            missing.isEmpty
            ? nil : "Il manque, pour le signer\u{202F}: " + missing.map(\.label).joined(separator: ", ") + "."
        // A contract without it can be signed, and then does not say that it is a draft.
        let isUnplanned = programme == nil && signers == nil
        let article = audience == .client ? ", que demande l’article D.\u{A0}6353-1 du Code du travail" : ""
        let without =
            isUnplanned
            ? "Sans programme\u{202F}: il ne dit ni les objectifs, ni le contenu, ni les moyens, ni le suivi, ni la "
                + "sanction de la formation\(article)." : nil
        let lines = [list, without].compactMap(\.self)
        guard !lines.isEmpty else { return [] }
        return [
            .columns([
                PDFColumn(
                    isFramed: true,
                    [.paragraph(.bold("Projet à compléter"), PDFTextStyle(size: 11, color: DocumentStyle.warning))]
                        + lines.map { .paragraph(PDFText($0), DocumentStyle.small) })
            ])
        ]
    }

    // MARK: Amounts

    /// What the amounts of a contract are called.
    private struct AmountLabels {
        let fee: String
        /// The sum of a fee and its expenses.
        let total: String?
    }

    private func priceBlocks(_ labels: AmountLabels) -> [PDFBlock] {
        let typography = FrenchTypography.printed
        guard let price = session.prices.first else { return [.paragraph("À convenir entre les parties.")] }
        // Without a fee the one price of a trainer is the expenses.
        let isExpenses = price.label == "Frais"
        var rows = [
            PDFTable.Row([
                PDFText(isExpenses ? "Frais de déplacement" : labels.fee),
                PDFText(isExpenses ? typography.amount(price.amount) : typography.taxless(price.amount)),
            ])
        ]
        if let extra = price.extra {
            rows.append(PDFTable.Row(["Frais de déplacement", PDFText(typography.amount(extra.amount))]))
            if let total = labels.total, let sum = Cents.sum(price.amount, extra.amount) {
                rows.append(
                    PDFTable.Row([PDFText(total), PDFText(typography.taxless(sum))], isEmphasized: true))
            }
        }
        return [
            .table(.amounts(rows)),
            .paragraph(
                "Les montants s’entendent hors taxes\u{202F}; la TVA s’ajoute, s’il y a lieu, au taux en vigueur.",
                DocumentStyle.note),
        ]
    }
}

/// Articles of a contract, numbered in their order. One without content is left out.
private struct Articles {
    private var blocks: [PDFBlock] = []
    private var count = 0
    /// Where the last article begins.
    private var last = 0

    mutating func add(_ title: String, _ content: [PDFBlock]) {
        guard !content.isEmpty else { return }
        count += 1
        last = blocks.count
        blocks += [.heading(PDFText("Article\u{A0}\(count). \(title)"), level: 2)] + content
    }

    /// The least number of lines of an article that stand together.
    private static let leastLines = 4

    /// The last article, or the end of a long one, and what is before it. Neither part of it has fewer than four lines.
    var split: (start: [PDFBlock], end: [PDFBlock]) {
        var cut = blocks.count
        var lines = 0
        while cut > last + 1, lines < Self.leastLines || blocks[cut - 1].isHeading {
            cut -= 1
            lines += blocks[cut].estimatedLines
        }
        let before = blocks[min(last + 1, cut)..<cut].reduce(0) { $0 + $1.estimatedLines }
        if before < Self.leastLines { cut = last }
        return (Array(blocks[..<cut]), Array(blocks[cut...]))
    }
}

extension PDFBlock {
    fileprivate var isHeading: Bool { if case .heading = self { true } else { false } }

    /// About how many lines of running text it is as high as.
    fileprivate var estimatedLines: Int {
        func lines(_ text: PDFText) -> Int { (text.text.count + 94) / 95 }
        return switch self {
        case .paragraph(let text, _): lines(text)
        case .bullets(let items): items.reduce(0) { $0 + lines($1) }
        case .fields(let fields): fields.count
        case .space, .rule: 0
        case .heading: 1
        default: 3
        }
    }
}

/// Sums of amounts, exact to the cent.
enum Cents {
    /// The sum of two amounts in digits, such as `450.00`; nil if one is not such an amount.
    static func sum(_ left: String, _ right: String) -> String? {
        guard let left = cents(left), let right = cents(right) else { return nil }
        let sum = left + right
        let rest = sum % 100
        return "\(sum / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    private static func cents(_ digits: String) -> Int? {
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = Int(parts[0]), whole >= 0, whole < 1_000_000_000_000 else { return nil }
        guard parts.count == 2 else { return whole * 100 }
        guard let hundredths = Int(parts[1].prefix(2)), parts[1].dropFirst(2).allSatisfy({ $0 == "0" }) else {
            return nil
        }
        return whole * 100 + (parts[1].count == 1 ? hundredths * 10 : hundredths)
    }
}
