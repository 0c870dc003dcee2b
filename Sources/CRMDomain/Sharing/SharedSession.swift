import DomainKit
import JSON

/// What one audience may see of one session.
///
/// It does not contain the prices and addresses that are meant for others, so that no format can reveal them.
struct SharedSession {
    let module: String
    let date: CalendarDate?
    let times: (debut: ClockTime, fin: ClockTime)?
    let minutes: Int?
    let isRemote: Bool?
    let lieu: String?
    let prices: [Price]
    let reference: String?
    let recipient: Recipient

    /// A price, on a line of its own.
    struct Price {
        let label: String
        let amount: String
        /// What is added to it: a word and an amount.
        var extra: (label: String, amount: String)?
    }

    /// The address of the audience; both are nil if it has none, or is not a single person.
    struct Recipient {
        var email: String?
        /// A `tel:` URI.
        var phone: String?
    }

    /// - Parameter record: a session in the form of `CRM.shareMethod.selection`.
    init(_ record: JSONValue, for audience: Audience) {
        module = record["module"]?.text?.onOneLine(joinedBy: " ") ?? ""
        date = record["date"]?.text.flatMap { CalendarDate($0) }
        if let debut = record["debut"]?.text.flatMap({ ClockTime($0) }),
            let fin = record["fin"]?.text.flatMap({ ClockTime($0) })
        {
            times = (debut, fin)
        } else {
            times = nil
        }
        minutes = record["duree_minutes"]?.digits.flatMap { Int($0) }
        isRemote = record["modalite"]?.text.map { $0 == "D" }
        lieu = record["lieu"]?.text?.onOneLine(joinedBy: ", ").unlessEmpty
        reference = record["ref_contrat"]?.text?.onOneLine(joinedBy: " ").unlessEmpty
        prices = Self.prices(of: record, for: audience)
        recipient = Self.recipient(of: record, for: audience)
    }

    private static func prices(of record: JSONValue, for audience: Audience) -> [Price] {
        switch audience {
        case .formateur:
            return [trainerPrice(of: record, label: "Tarif")].compactMap(\.self)
        case .client:
            return [record["tarif_client"]?.digits.map { Price(label: "Tarif", amount: $0) }].compactMap(\.self)
        case .interne:
            return [
                record["tarif_client"]?.digits.map { Price(label: "Tarif client", amount: $0) },
                trainerPrice(of: record, label: "Sous-traitance"),
                record["marge"]?.digits.map { Price(label: "Marge", amount: $0) },
            ].compactMap(\.self)
        }
    }

    /// The trainer's fee with the expenses, or the expenses alone.
    private static func trainerPrice(of record: JSONValue, label: String) -> Price? {
        let fee = record["tarif_sous_traitant"]?.digits
        let expenses = record["frais_rembourser"]?.digits
        guard let fee else { return expenses.map { Price(label: "Frais", amount: $0) } }
        return Price(label: label, amount: fee, extra: expenses.map { ("frais", $0) })
    }

    private static func recipient(of record: JSONValue, for audience: Audience) -> Recipient {
        let person: JSONValue?
        switch audience {
        case .formateur: person = record["formateur"]
        case .client: person = record["client"]
        case .interne: person = nil
        }
        return Recipient(
            email: person?["email"]?.text?.unlessEmpty, phone: person?["telephone_uri"]?.text?.unlessEmpty)
    }
}

extension JSONValue {
    var digits: String? {
        if case .number(let digits) = self { digits } else { nil }
    }
}

extension String {
    /// The lines of this text, trimmed and joined, without blank lines and control characters.
    func onOneLine(joinedBy separator: String) -> String {
        split(whereSeparator: \.isNewline)
            .map { line in
                var scalars = line.unicodeScalars.filter { $0.properties.generalCategory != .control || $0 == "\t" }[
                    ...]
                while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
                while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
                return String(String.UnicodeScalarView(scalars))
            }
            .filter { !$0.isEmpty }
            .joined(separator: separator)
    }
}
