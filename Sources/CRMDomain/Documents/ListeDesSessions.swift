package import DomainKit
package import JSON
import PDF

extension CRM {
    /// `sessions.liste`: the sessions of a month or of other days as a table, without prices.
    package static func listeDesSessions(
        _ loaded: [JSONValue], _ parameters: [String: JSONValue]
    ) throws -> DocumentContent {
        try SessionList(loaded, parameters).document.content()
    }
}

/// The plan of some days.
struct SessionList {
    /// The selection of each session. The organisation, its logo and the totals are loaded after the list.
    static let selection = """
        {
          module date debut fin duree_minutes modalite lieu updated_at
          formateur { nom_complet } client { raison_sociale } ecole { nom }
        }
        """

    /// The numbers about all sessions, and then about those without a trainer.
    static let totals = "{ count sum { duree_minutes } }"

    /// The most sessions of a plan: more would take too long to set.
    static let limit = 300

    /// The condition of the date.
    static func days(_ parameters: [String: JSONValue]) -> JSONValue {
        ["gte": parameters["du"] ?? .null, "lte": parameters["au"] ?? .null]
    }

    private let records: [JSONValue]
    private let organisme: Organisme
    private let first: CalendarDate?
    private let last: CalendarDate?
    private let created: String
    /// Of all sessions, those that the plan leaves out too.
    private let count: Int
    private let minutes: Int
    private let open: Int

    init(_ loaded: [JSONValue], _ parameters: [String: JSONValue]) {
        if case .array(let rows)? = loaded.first { records = rows } else { records = [] }
        let organisation = loaded.count > 1 ? loaded[1].firstRecord : .null
        organisme = Organisme(loaded.dropFirst())
        first = parameters["du"]?.text.flatMap { CalendarDate($0) }
        last = parameters["au"]?.text.flatMap { CalendarDate($0) }
        let numbers = loaded.dropFirst(3).map(\.firstRecord)
        count = max(records.count, numbers.first?["count"]?.integer ?? 0)
        minutes = numbers.first?["sum"]?["duree_minutes"]?.integer ?? 0
        open = numbers.dropFirst().first?["count"]?.integer ?? 0
        created = DocumentDate.newest(of: records + [organisation], else: parameters["du"]?.text)
    }

    var document: PDFDocument {
        var blocks: [PDFBlock] = [.space(10), .heading(PDFText(title), level: 1)]
        guard !records.isEmpty else {
            blocks.append(.paragraph("Aucune session n’est prévue à ces dates.", DocumentStyle.lead))
            return organisme.sheet(title: title, created: created, page: .a4Landscape, blocks)
        }
        blocks.append(.paragraph(summary, DocumentStyle.lead))
        if count > records.count {
            blocks.append(
                .paragraph(
                    "Seules les \(records.count)\u{A0}premières figurent ci-dessous\u{202F}: "
                        + "choisissez moins de jours pour voir les autres.",
                    DocumentStyle.note))
        }
        blocks.append(.table(table))
        return organisme.sheet(title: title, created: created, page: .a4Landscape, blocks)
    }

    /// `Planning d’août 2026`, `Planning du 3 août 2026 au 9 août 2026`.
    private var title: String {
        guard let first, let last else { return "Planning des sessions" }
        let typography = FrenchTypography.printed
        if first.year == last.year, first.month == last.month, first.day == 1,
            last.day == CalendarDate.days(in: last.month, of: last.year)
        {
            let month = typography.monthNames[first.month - 1]
            return "Planning \("ao".contains(month.prefix(1)) ? "d’" : "de ")\(month) \(first.year)"
        }
        if first == last { return "Planning du \(typography.day(first))" }
        return
            "Planning du \(typography.dayInMonth(first)) \(first.year) au \(typography.dayInMonth(last)) \(last.year)"
    }

    /// Whether a day without its year could be one of several.
    private var hasYears: Bool { first?.year != last?.year }

    /// How many sessions there are, how long they are together, and how many have no trainer yet.
    private var summary: PDFText {
        let typography = FrenchTypography.printed
        var parts = ["\(typography.whole(count))\u{A0}session\(count > 1 ? "s" : "")"]
        if minutes > 0 { parts.append(typography.length(minutes: minutes)) }
        let text = PDFText(parts.joined(separator: " · "))
        return open == 0
            ? text
            : text
                + PDFText(
                    " · \(typography.whole(open))\u{A0}sans formateur", isBold: true, color: DocumentStyle.warning)
    }

    private var table: PDFTable {
        var day: CalendarDate?
        let rows = records.map { record in
            let session = SharedSession(record, for: .formateur)
            defer { day = session.date }
            return row(of: session, record, isFirstOfDay: session.date != day)
        }
        return PDFTable(
            columns: [
                PDFTable.Column("Date", share: hasYears ? 1.8 : 1.45), PDFTable.Column("Horaires", share: 1.25),
                PDFTable.Column("Formation", share: 2.4), PDFTable.Column("Client", share: 1.9),
                PDFTable.Column("Formateur", share: 1.6), PDFTable.Column("Lieu", share: 2.2),
            ], rows: rows, size: 8.5)
    }

    private func row(of session: SharedSession, _ record: JSONValue, isFirstOfDay: Bool) -> PDFTable.Row {
        let typography = FrenchTypography.printed
        let date = session.date.map { typography.shortDay($0) + (hasYears ? " \($0.year)" : "") } ?? ""
        let times = session.times.map { typography.span($0.debut, $0.fin) } ?? ""
        let buyer = [DocumentParty(client: record["client"])?.name, DocumentParty(ecole: record["ecole"])?.name]
            .compactMap(\.self).joined(separator: "\n")
        let trainer = DocumentParty(formateur: record["formateur"]).map { PDFText($0.name) }
        let place = session.isRemote == true && session.lieu == "À distance" ? nil : session.lieu
        return PDFTable.Row([
            PDFText(date, isBold: isFirstOfDay, color: isFirstOfDay ? nil : DocumentStyle.muted), PDFText(times),
            PDFText(session.module), PDFText(buyer),
            trainer ?? PDFText("À pourvoir", isBold: true, color: DocumentStyle.warning),
            PDFText([session.modality, place].compactMap(\.self).joined(separator: " · ").clipped(300)),
        ])
    }
}

extension FrenchTypography {
    /// `lun. 3 août`.
    func shortDay(_ date: CalendarDate) -> String {
        let weekday = day(date).prefix(3)
        return "\(weekday).\(noBreakSpace)\(dayInMonth(date).replacing(" ", with: noBreakSpace))"
    }

    /// `3 août`, `1er août`.
    func dayInMonth(_ date: CalendarDate) -> String {
        "\(date.day == 1 ? "1er" : String(date.day)) \(monthNames[date.month - 1])"
    }
}

extension String {
    /// At most so many characters, the last of which says that some are missing.
    func clipped(_ limit: Int) -> String {
        count > limit ? prefix(limit - 1) + "…" : self
    }
}
