import JSON
import PDF

/// What a contract says of the training itself.
struct Programme {
    /// Paragraphs, as those below. Each may be empty.
    let objectives: [String]
    let audience: [String]
    let prerequisites: [String]
    let content: [String]
    let means: [String]
    let assessment: [String]
    let outcome: [String]
    /// How long the training takes, in minutes; nil if that is not known.
    let minutes: Int?

    /// The selection of the record.
    static let selection =
        "{ objectifs public prerequis contenu moyens suivi_evaluation sanction duree_conseillee updated_at }"

    init?(_ record: JSONValue?) {
        guard let record, !record.isNull else { return nil }
        objectives = record.paragraphs("objectifs")
        audience = record.paragraphs("public")
        prerequisites = record.paragraphs("prerequis")
        content = record.paragraphs("contenu")
        means = record.paragraphs("moyens")
        assessment = record.paragraphs("suivi_evaluation")
        outcome = record.paragraphs("sanction")
        let hours = record["duree_conseillee"]?.digits.flatMap { Double($0) } ?? 0
        minutes = hours > 0 ? Int((hours * 60).rounded()) : nil
    }

    /// Paragraphs below a heading, none without them. Lines that begin as items of a list are one.
    static func section(_ heading: String, _ paragraphs: [String]) -> [PDFBlock] {
        guard !paragraphs.isEmpty else { return [] }
        var blocks: [PDFBlock] = [.heading(PDFText(heading), level: 3)]
        var items: [PDFText] = []
        for paragraph in paragraphs {
            if let item = item(paragraph) {
                items.append(PDFText(item))
                continue
            }
            if !items.isEmpty { blocks.append(.bullets(items)) }
            items = []
            blocks.append(.paragraph(PDFText(paragraph)))
        }
        return items.isEmpty ? blocks : blocks + [.bullets(items)]
    }

    /// Paragraphs beside their name; nil without any, and with items of a list, which stand below a heading.
    static func line(_ paragraphs: [String]) -> String? {
        paragraphs.contains { item($0) != nil } ? nil : paragraphs.joined(separator: "\n").unlessEmpty
    }

    /// The text of an item: `- Créer un tableau`; nil for a line of another form.
    private static func item(_ line: String) -> String? {
        guard let first = line.first, "-–—•*·".contains(first) else { return nil }
        let rest = line.dropFirst()
        guard rest.first?.isWhitespace == true || first == "•" else { return nil }
        return String(rest.drop { $0.isWhitespace }).unlessEmpty
    }
}
