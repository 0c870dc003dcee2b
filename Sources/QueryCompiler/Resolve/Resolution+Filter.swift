import DomainKit
import JSON

/// Resolves `where` into a ``Condition``. `SQL/FilterSQL.swift` writes it as SQL.
extension Resolution {
    /// `{"date": {"gte": "2026-01-01"}, "or": […]}` on records of `table`.
    ///
    /// - Parameter relations: the relationships on the path from the root of the filter.
    mutating func condition(
        _ located: LocatedValue, on table: Table, through relations: [String] = []
    ) -> Condition? {
        guard let form = open(located) else { return nil }
        guard case .object(let members) = form else {
            diagnostics.add(.expectedCondition, at: location(of: located))
            return nil
        }
        if members.isEmpty { countCondition(at: located.location) }
        checkDistinct(members)
        let conditions = members.compactMap { member(of: $0, on: table, through: relations) }
        return conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    private mutating func member(
        of member: LocatedValue.Member, on table: Table, through relations: [String]
    ) -> Condition? {
        switch member.name {
        case "and": return conditions(member.value, on: table, through: relations).map(Condition.all)
        case "or": return conditions(member.value, on: table, through: relations).map(Condition.any)
        case "not": return negated(member.value, on: table, through: relations)
        default: break
        }
        if let field = table.field(named: member.name) {
            return condition(member.value, on: field)
        }
        if let relationship = table.relationship(named: member.name), let target = schema.target(of: relationship) {
            return related(member, over: relationship, to: target, through: relations)
        }
        let suggestion = diagnostics.nearest(
            to: member.name, among: table.selectableNames + ["and", "or", "not"])
        diagnostics.add(
            .unknownField(member.name, table: table.name, suggestion: suggestion), at: member.location)
        return nil
    }

    private mutating func negated(
        _ located: LocatedValue, on table: Table, through relations: [String]
    ) -> Condition? {
        let outer = isNegated
        isNegated = true
        defer { isNegated = outer }
        return condition(located, on: table, through: relations).map(Condition.not)
    }

    private mutating func conditions(
        _ located: LocatedValue, on table: Table, through relations: [String]
    ) -> [Condition]? {
        guard let form = open(located) else { return nil }
        guard case .list(let elements) = form else {
            diagnostics.add(.expectedConditionList, at: location(of: located))
            return nil
        }
        if elements.isEmpty { countCondition(at: located.location) }
        return elements.compactMap { condition($0, on: table, through: relations) }
    }

    /// Reports duplicate members in the text of a selection. Those of JSON params are reported where their names are checked.
    private mutating func checkDistinct(_ members: [LocatedValue.Member]) {
        guard members.count > 1, case .selection? = members.first?.location else { return }
        var seen: Set<String> = []
        for member in members where !seen.insert(member.name).inserted {
            diagnostics.add(.duplicateMember(member.name), at: member.location)
        }
    }

    mutating func countCondition(at location: SourceLocation) {
        counts.conditions += 1
        if counts.conditions == limits.conditions + 1 {
            diagnostics.add(.tooManyConditions(max: limits.conditions), at: location)
        }
    }

    // MARK: Relationships

    private mutating func related(
        _ member: LocatedValue.Member, over relationship: Relationship, to target: Table, through relations: [String]
    ) -> Condition? {
        guard relations.count < limits.selectionDepth else {
            let path = (relations + [relationship.name]).joined(separator: ".")
            diagnostics.add(QueryLimitError(excess: .depth, max: limits.selectionDepth, path: path))
            return nil
        }
        guard let form = open(member.value) else { return nil }
        switch form {
        case .scalar(.null) where !relationship.isToMany:
            countCondition(at: member.location)
            return .noRelated(relationship)
        case .object(let members) where relationship.isToMany:
            if members.isEmpty { countCondition(at: member.location) }
            return quantified(members, over: relationship, to: target, through: relations)
        case .object:
            countRelation(at: member.location)
            return condition(member.value, on: target, through: relations + [relationship.name])
                .map { .related(relationship, $0) }
        default:
            diagnostics.add(
                relationship.isToMany ? .expectedQuantifier : .expectedRelatedCondition,
                at: location(of: member.value))
            return nil
        }
    }

    /// `{"some": {…}, "none": {…}}`
    private mutating func quantified(
        _ members: [LocatedValue.Member], over relationship: Relationship, to target: Table,
        through relations: [String]
    ) -> Condition? {
        checkDistinct(members)
        let quantifiers = ["some", "none"]
        var conditions: [Condition] = []
        for member in members {
            guard quantifiers.contains(member.name) else {
                let suggestion = diagnostics.nearest(to: member.name, among: quantifiers)
                diagnostics.add(
                    .unknownQuantifier(member.name, relationship: relationship.name, suggestion: suggestion),
                    at: member.location)
                continue
            }
            countRelation(at: member.location)
            guard let inner = condition(member.value, on: target, through: relations + [relationship.name]) else {
                continue
            }
            conditions.append(
                member.name == "some" ? .related(relationship, inner) : .not(.related(relationship, inner)))
        }
        return conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    private mutating func countRelation(at location: SourceLocation) {
        counts.relations += 1
        if counts.relations == limits.filterRelations + 1 {
            diagnostics.add(.tooManyRelations(max: limits.filterRelations), at: location)
        }
    }

    // MARK: Fields

    private static let operators = Comparison.allCases.map(\.rawValue) + ["in", "nin", "is_null"]

    /// `"P"`, `null` or `{"gte": …, "lt": …}` on one field.
    private mutating func condition(_ located: LocatedValue, on field: Field) -> Condition? {
        guard let form = open(located) else { return nil }
        let location = location(of: located)
        switch form {
        case .object(let members):
            if members.isEmpty { countCondition(at: location) }
            checkDistinct(members)
            let conditions = members.compactMap { operation($0, on: field) }
            return conditions.count == 1 ? conditions[0] : .all(conditions)
        case .scalar(let value):
            return compare(field, .eq, value, at: location)
        case .list:
            diagnostics.add(.listWithoutOperator, at: location)
        case .variable, .enumValue:
            break
        }
        return nil
    }

    private mutating func operation(_ member: LocatedValue.Member, on field: Field) -> Condition? {
        if let comparison = Comparison(rawValue: member.name) {
            guard isApplicable(comparison, to: field, at: member.location), let form = open(member.value) else {
                return nil
            }
            guard case .scalar(let value) = form else {
                diagnostics.add(.expectedSingleValue, at: location(of: member.value))
                return nil
            }
            return compare(field, comparison, value, at: location(of: member.value))
        }
        switch member.name {
        case "in", "nin":
            return membership(member, on: field, isNegated: member.name == "nin")
        case "is_null":
            guard let form = open(member.value) else { return nil }
            guard case .scalar(.bool(let isNull)) = form else {
                diagnostics.add(.expectedBoolean, at: location(of: member.value))
                return nil
            }
            countCondition(at: member.location)
            return .null(field, isNull)
        default:
            let suggestion = diagnostics.nearest(to: member.name, among: Self.operators)
            diagnostics.add(
                .unknownOperator(member.name, known: Self.operators, suggestion: suggestion), at: member.location)
            return nil
        }
    }

    private mutating func isApplicable(
        _ comparison: Comparison, to field: Field, at location: SourceLocation
    ) -> Bool {
        if comparison.isPattern, !field.type.isText {
            diagnostics.add(.patternOnNonText(operation: comparison.rawValue, field: field.name), at: location)
            return false
        }
        if comparison.isOrdering, field.type == .boolean {
            diagnostics.add(.orderingOnBoolean(operation: comparison.rawValue, field: field.name), at: location)
            return false
        }
        return true
    }

    private mutating func isComparable(_ field: Field, at location: SourceLocation) -> Bool {
        guard !field.type.isComparable else { return true }
        diagnostics.add(.incomparableField(field.name), at: location)
        return false
    }

    private mutating func compare(
        _ field: Field, _ comparison: Comparison, _ value: JSONValue, at location: SourceLocation
    ) -> Condition? {
        countCondition(at: location)
        if value.isNull {
            switch comparison {
            case .eq: return .null(field, true)
            case .ne: return .null(field, false)
            default:
                diagnostics.add(.nullInComparison, at: location)
                return nil
            }
        }
        guard isComparable(field, at: location),
            let text = text(of: value, as: field.type.compared(by: comparison), at: location)
        else { return nil }
        guard !comparison.isPattern || isPattern(text, at: location) else { return nil }
        let condition = Condition.compare(field, comparison, slot: slot(for: text, at: location))
        guard field.isInSearchText, !isNegated, hasTrigrams(comparison, text),
            let trigrams = TrigramPattern.implied(by: text)
        else { return condition }
        return .all([condition, .searchText(slot: derivedSlot(for: trigrams))])
    }

    /// Whether the searchable text narrows the comparison: that of a pattern, or of a whole text of ordinary length.
    private func hasTrigrams(_ comparison: Comparison, _ text: String) -> Bool {
        comparison.isPattern || comparison == .eq && text.utf8.count <= limits.searchLength
    }

    private mutating func isPattern(_ text: String, at location: SourceLocation) -> Bool {
        let trailingBackslashes = text.utf8.reversed().prefix { $0 == UInt8(ascii: "\\") }.count
        guard trailingBackslashes.isMultiple(of: 2) else {
            diagnostics.add(.unfinishedEscape, at: location)
            return false
        }
        // Postgres cannot be interrupted while it matches one text, and the time grows with the product of both lengths.
        guard text.utf8.count <= limits.searchLength || text.unicodeScalars.count <= limits.searchLength else {
            diagnostics.add(.patternTooLong(max: limits.searchLength), at: location)
            return false
        }
        return true
    }

    private mutating func membership(
        _ member: LocatedValue.Member, on field: Field, isNegated: Bool
    ) -> Condition? {
        guard let form = open(member.value) else { return nil }
        guard case .list(let elements) = form else {
            diagnostics.add(.expectedValueList, at: location(of: member.value))
            return nil
        }
        countCondition(at: member.location)
        guard isComparable(field, at: member.location) else { return nil }
        guard !elements.isEmpty else { return isNegated ? .all([]) : .any([]) }
        let type = field.type.compared(by: .eq)
        var texts: [String?] = []
        texts.reserveCapacity(elements.count)
        for element in elements {
            guard let form = open(element) else { continue }
            guard case .scalar(let value) = form else {
                diagnostics.add(.expectedSingleValue, at: location(of: element))
                continue
            }
            guard !value.isNull else {
                texts.append(nil)
                continue
            }
            do throws(ValueError) {
                texts.append(try type.postgresText(of: value))
            } catch {
                diagnostics.add(.invalidValue(error), at: location(of: element))
            }
        }
        let location = location(of: member.value)
        let array = slot(for: ArrayLiteral.text(of: texts), at: location)
        return .member(field, of: array, isNegated: isNegated)
    }
}

extension FieldType {
    /// The type of a value that a field of this type is compared with. A value that the column cannot hold can still be
    /// compared with those that it holds.
    fileprivate func compared(by comparison: Comparison) -> FieldType {
        switch self {
        case .text: .text(maxLength: nil)
        case .choice where comparison.isPattern: .text(maxLength: nil)
        case .smallint where comparison.isOrdering: .smallint(Int(Int16.min)...Int(Int16.max))
        case .decimal: .comparedDecimal
        default: self
        }
    }
}

/// The pattern for a record's searchable text that follows from a `like` or `ilike` pattern for one of its fields, or from
/// the whole value of the field.
///
/// The searchable text has neither upper case nor accents. It contains each run of ASCII characters of the pattern in
/// lower case, and a trigram index finds it by them. The original pattern still has to be checked.
enum TrigramPattern {
    /// Nil when the pattern has no three ASCII letters or digits in a row, which a trigram index requires.
    static func implied(by pattern: String) -> String? {
        var runs: [[UInt8]] = [[]]
        for byte in pattern.utf8 {
            let isSpecial = byte == UInt8(ascii: "%") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "\\")
            if isSpecial || byte < 0x20 || byte >= 0x80 {
                // An escaped `%`, `_` or `\` is left out as well: it would have to be escaped again. A searchable text
                // may have another control character than its field.
                if !(runs.last ?? []).isEmpty { runs.append([]) }
            } else {
                runs[runs.count - 1].append(byte.lowercasedASCII)
            }
        }
        let useful = runs.filter(hasTrigram)
        guard !useful.isEmpty else { return nil }
        return "%" + useful.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "%") + "%"
    }

    private static func hasTrigram(_ run: [UInt8]) -> Bool {
        var length = 0
        for byte in run {
            length = byte.isLetterOrDigit ? length + 1 : 0
            if length == 3 { return true }
        }
        return false
    }
}

extension UInt8 {
    fileprivate var lowercasedASCII: UInt8 {
        self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
    }

    fileprivate var isLetterOrDigit: Bool {
        self >= UInt8(ascii: "a") && self <= UInt8(ascii: "z") || self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9")
    }
}
