import DomainKit
import JSON

/// Resolves `order_by` and `after`.
extension Resolution {
    /// `["-date", "title", "author.name"]`, completed by `id`.
    mutating func order(_ located: LocatedValue, on table: Table) -> [OrderKey]? {
        var keys: [OrderKey] = []
        let isList = forEachName(
            in: located, notAList: .expectedFieldList(example: "-id"),
            tooMany: .tooManyOrderFields(max: limits.orderKeys), notAName: .expectedFieldName
        ) { resolution, spelling, location in
            guard let key = resolution.orderKey(spelling, on: table, at: location) else { return }
            if keys.contains(where: { $0.path == key.path && $0.field == key.field }) {
                resolution.diagnostics.add(.duplicateOrderKey(spelling), at: location)
            }
            keys.append(key)
        }
        return isList ? schema.completed(keys, on: table) : nil
    }

    /// Calls `body` for each element of a list of at most `limits.orderKeys` names. Adds one of the given problems for
    /// anything else.
    ///
    /// - Returns: false when the value is not such a list.
    @discardableResult
    mutating func forEachName(
        in located: LocatedValue, notAList: QueryProblem, tooMany: QueryProblem, notAName: QueryProblem,
        _ body: (inout Resolution, _ name: String, SourceLocation) -> Void
    ) -> Bool {
        guard let form = open(located) else { return false }
        guard case .list(let elements) = form else {
            diagnostics.add(notAList, at: location(of: located))
            return false
        }
        guard elements.count <= limits.orderKeys else {
            diagnostics.add(tooMany, at: location(of: located))
            return false
        }
        for element in elements {
            guard let form = open(element) else { continue }
            let location = location(of: element)
            if case .scalar(.string(let name)) = form, Self.isComparable(name) {
                body(&self, name, location)
            } else {
                diagnostics.add(notAName, at: location)
            }
        }
        return true
    }

    /// `-author.name`
    mutating func orderKey(_ spelling: String, on table: Table, at location: SourceLocation) -> OrderKey? {
        let isDescending = spelling.hasPrefix("-")
        let names = spelling.dropFirst(isDescending ? 1 : 0).split(
            separator: ".", omittingEmptySubsequences: false
        ).map(String.init)
        var table = table
        var path: [Relationship] = []
        for name in names.dropLast() {
            guard let relationship = table.relationship(named: name), !relationship.isToMany,
                let target = schema.target(of: relationship)
            else {
                let known = table.relationships.filter { !$0.isToMany }.map(\.name)
                rejectOrderKey(name, of: table, among: known, at: location)
                return nil
            }
            guard path.count < limits.selectionDepth else {
                diagnostics.add(QueryLimitError(excess: .depth, max: limits.selectionDepth, path: spelling))
                return nil
            }
            path.append(relationship)
            table = target
        }
        let name = names[names.count - 1]
        guard let field = table.field(named: name) else {
            rejectOrderKey(name, of: table, among: table.fields.map(\.name), at: location)
            return nil
        }
        guard field.type.isComparable else {
            diagnostics.add(.unorderedField(name), at: location)
            return nil
        }
        return OrderKey(path: path, field: field, isDescending: isDescending)
    }

    private mutating func rejectOrderKey(
        _ name: String, of table: Table, among known: [String], at location: SourceLocation
    ) {
        if let relationship = table.relationship(named: name) {
            diagnostics.add(
                relationship.isToMany ? .toManyInOrder(relationship: name) : .relationshipInOrder(name), at: location)
            return
        }
        let suggestion = diagnostics.nearest(to: name, among: known)
        diagnostics.add(.unknownField(name, table: table.name, suggestion: suggestion), at: location)
    }

    // MARK: after

    /// `after`: the `end_cursor` of the previous page in the same order.
    ///
    /// - Parameter arguments: of a view. The previous page had the same.
    mutating func after(
        _ value: JSONValue, order: [OrderKey], on table: Table, _ arguments: [ViewArgument] = []
    ) -> AfterShape? {
        let location = SourceLocation.pointer("/after")
        guard case .string(let text) = value else {
            diagnostics.add(.expectedCursor, at: location)
            return nil
        }
        guard let cursor = Cursor(text) else {
            diagnostics.add(.invalidCursor, at: location)
            return nil
        }
        let fingerprint = fingerprint(Fingerprint.of(order, on: table), arguments)
        guard cursor.fingerprint == fingerprint, cursor.values.count == order.count else {
            diagnostics.add(
                table.parameters.isEmpty ? .cursorOfOtherOrder : .cursorOfOtherParameters, at: location)
            return nil
        }
        var slots: [Int?] = []
        for (key, value) in zip(order, cursor.values) {
            guard let value else {
                guard key.isNullable else { break }
                slots.append(nil)
                continue
            }
            guard let text = key.field.type.parameterText(ofCursor: value) else { break }
            slots.append(slot(for: text))
        }
        guard slots.count == order.count else {
            diagnostics.add(.damagedCursor, at: location)
            return nil
        }
        return AfterShape(slots: slots)
    }
}

extension FieldType {
    /// A value of a cursor, which is the text of a result column, as the text of a parameter. Nil for a text that no
    /// column of this type has.
    fileprivate func parameterText(ofCursor text: String) -> String? {
        let type: FieldType
        let value: JSONValue
        switch self {
        case .bigint, .integer: (type, value) = (self, .number(text))
        case .smallint: (type, value) = (.smallint(Int(Int16.min)...Int(Int16.max)), .number(text))
        // A derived sum can have more digits than any column.
        case .decimal: (type, value) = (.decimal(precision: 1_000, scale: 500), .number(text))
        case .boolean: (type, value) = (self, .bool(text == "true"))
        case .text, .choice: (type, value) = (.text(maxLength: nil), .string(text))
        // The column is JSON text with its quotes.
        case .timestamp:
            guard text.utf8.count > 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return nil }
            (type, value) = (self, .string(String(text.dropFirst().dropLast())))
        case .date, .time, .uuid, .json: (type, value) = (self, .string(text))
        }
        do throws(ValueError) {
            return try type.postgresText(of: value)
        } catch {
            return nil
        }
    }
}
