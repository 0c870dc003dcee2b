import DomainKit

extension Resolution {
    /// `after`, the `end_cursor` of the page before in the same order; nil, the problem noted, for anything else.
    mutating func after(_ value: Value, order: [OrderKey], on table: Table) -> AfterShape? {
        let location = SourceLocation.pointer("/after")
        guard case .string(let text) = value else {
            diagnostics.add(.type, at: location, "Donnez le \("end_cursor".quotedInFrench) de la page précédente.")
            return nil
        }
        guard let cursor = Cursor(text) else {
            diagnostics.add(
                .format, at: location,
                "Ce curseur n'en est pas un\u{A0}: donnez le \("end_cursor".quotedInFrench) de la page précédente.")
            return nil
        }
        guard cursor.fingerprint == Fingerprint.of(order, on: table), cursor.values.count == order.count else {
            diagnostics.add(
                .format, at: location,
                "Ce curseur vient d'une liste dans un autre ordre\u{A0}: reprenez à la première page.")
            return nil
        }
        var slots: [Int?] = []
        for (key, value) in zip(order, cursor.values) {
            guard let value else {
                guard key.isNullable else { break }
                slots.append(nil)
                continue
            }
            guard let text = key.field.type.cursorText(value) else { break }
            slots.append(slot(for: text))
        }
        guard slots.count == order.count else {
            diagnostics.add(
                .format, at: location,
                "Ce curseur est abîmé\u{A0}: donnez le \("end_cursor".quotedInFrench) de la page précédente.")
            return nil
        }
        return AfterShape(slots: slots)
    }
}

extension FieldType {
    /// A value of a cursor, once a column's text, as a parameter's text; nil when no column has it.
    fileprivate func cursorText(_ text: String) -> String? {
        let type: FieldType
        let value: Value
        switch self {
        case .bigint, .integer: (type, value) = (self, .number(text))
        case .smallint: (type, value) = (.smallint(Int(Int16.min)...Int(Int16.max)), .number(text))
        // A computed sum may have more digits than any column.
        case .decimal: (type, value) = (.decimal(precision: 1_000, scale: 500), .number(text))
        case .boolean: (type, value) = (self, .bool(text == "true"))
        case .text, .choice: (type, value) = (.text(maxLength: nil), .string(text))
        // The column is JSON text, quotes included.
        case .timestamp:
            guard text.utf8.count > 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return nil }
            (type, value) = (self, .string(String(text.dropFirst().dropLast())))
        case .date, .time, .uuid, .json: (type, value) = (self, .string(text))
        }
        do throws(ValueFault) {
            return try type.postgresText(of: value)
        } catch {
            return nil
        }
    }
}
