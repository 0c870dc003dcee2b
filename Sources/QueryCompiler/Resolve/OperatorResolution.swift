import DomainKit

extension Resolution {
    private static let operators =
        Comparison.allCases.map(\.rawValue) + ["in", "nin", "is_null"]

    /// `"P"`, `null` or `{"gte": …, "lt": …}` on one field.
    mutating func condition(_ located: LocatedValue, on field: Field) -> Condition? {
        guard let form = open(located) else { return nil }
        let location = place(of: located)
        switch form {
        case .object(let members):
            if members.isEmpty { countCondition(at: location) }
            checkDistinct(members)
            let conditions = members.compactMap { operation($0, on: field) }
            return conditions.count == 1 ? conditions[0] : .all(conditions)
        case .scalar(let value):
            return compare(field, .eq, value, at: location)
        case .list:
            diagnostics.add(
                .type, at: location,
                "Donnez une valeur\u{A0}; pour plusieurs, utilisez l'opérateur \("in".quotedInFrench)."
            )
        case .variable, .word:
            break
        }
        return nil
    }

    private mutating func operation(_ member: LocatedValue.Member, on field: Field) -> Condition? {
        if let comparison = Comparison(rawValue: member.name) {
            guard isSensible(comparison, on: field, at: member.location), let form = open(member.value) else {
                return nil
            }
            guard case .scalar(let value) = form else {
                diagnostics.add(.type, at: place(of: member.value), "Donnez une seule valeur.")
                return nil
            }
            return compare(field, comparison, value, at: place(of: member.value))
        }
        switch member.name {
        case "in", "nin":
            return membership(member, on: field, isNotIn: member.name == "nin")
        case "is_null":
            guard let form = open(member.value) else { return nil }
            guard case .scalar(.bool(let isNull)) = form else {
                diagnostics.add(.type, at: place(of: member.value), "Donnez true ou false.")
                return nil
            }
            countCondition(at: member.location)
            return .null(field, isNull)
        default:
            let suggestion = diagnostics.nearest(to: member.name, among: Self.operators)
            let known = Self.operators.joined(separator: ", ")
            diagnostics.add(
                .unknown, at: member.location,
                "L'opérateur \(member.name.quotedInFrench) n'existe pas\u{A0}; les opérateurs sont \(known).",
                suggestion: suggestion)
            return nil
        }
    }

    /// Whether values of the field can be compared at all; the problem is noted when not.
    private mutating func isComparable(_ field: Field, at location: SourceLocation) -> Bool {
        guard !field.type.isComparable else { return true }
        diagnostics.add(
            .type, at: location,
            "\(field.name.quotedInFrench) ne se compare pas\u{A0}: utilisez l'opérateur \("is_null".quotedInFrench).")
        return false
    }

    private mutating func isSensible(_ comparison: Comparison, on field: Field, at location: SourceLocation) -> Bool {
        if comparison.isPattern, !field.type.isText {
            diagnostics.add(
                .type, at: location,
                "L'opérateur \(comparison.rawValue.quotedInFrench) ne vaut que pour un texte, ce que"
                    + " \(field.name.quotedInFrench) n'est pas.")
            return false
        }
        if comparison.isOrdering, field.type == .boolean {
            diagnostics.add(
                .type, at: location,
                "L'opérateur \(comparison.rawValue.quotedInFrench) ne vaut pas pour \(field.name.quotedInFrench), qui"
                    + " n'est que vrai ou faux.")
            return false
        }
        return true
    }

    private mutating func compare(
        _ field: Field, _ comparison: Comparison, _ value: Value, at location: SourceLocation
    ) -> Condition? {
        countCondition(at: location)
        if value.isNull {
            switch comparison {
            case .eq: return .null(field, true)
            case .ne: return .null(field, false)
            default:
                diagnostics.add(
                    .type, at: location,
                    "Donnez une valeur\u{A0}; pour l'absence, utilisez l'opérateur \("is_null".quotedInFrench).")
                return nil
            }
        }
        guard isComparable(field, at: location),
            let text = text(of: value, as: field.type.compared(by: comparison), at: location)
        else { return nil }
        if comparison.isPattern, text.utf8.reversed().prefix(while: { $0 == UInt8(ascii: "\\") }).count % 2 == 1 {
            diagnostics.add(
                .format, at: location,
                "Le motif finit par \("\\".quotedInFrench), qui n'y protège rien\u{A0}: doublez ce signe ou retirez-le."
            )
            return nil
        }
        if comparison.isPattern, text.utf8.count > limits.searchLength, text.unicodeScalars.count > limits.searchLength
        {
            // Postgres cannot be stopped while it matches one text, which takes as long as both are together.
            diagnostics.add(.tooLong, at: location, "Donnez un motif d'au plus \(limits.searchLength) caractères.")
            return nil
        }
        let condition = Condition.compare(field, comparison, slot: slot(for: text, at: location))
        guard comparison.isPattern, field.isInSearchDocument, !isNegated, let trace = TrigramPattern.of(text) else {
            return condition
        }
        return .all([condition, .document(slot: slot(for: trace))])
    }

    private mutating func membership(_ member: LocatedValue.Member, on field: Field, isNotIn: Bool) -> Condition? {
        guard let form = open(member.value) else { return nil }
        guard case .list(let elements) = form else {
            diagnostics.add(.type, at: place(of: member.value), "Donnez une liste de valeurs, comme [1, 2].")
            return nil
        }
        countCondition(at: member.location)
        guard isComparable(field, at: member.location) else { return nil }
        guard !elements.isEmpty else { return isNotIn ? .all([]) : .any([]) }
        var texts: [String?] = []
        for element in elements {
            guard let form = open(element) else { continue }
            guard case .scalar(let value) = form else {
                diagnostics.add(.type, at: place(of: element), "Donnez une seule valeur.")
                continue
            }
            if value.isNull {
                texts.append(nil)
            } else if let text = text(of: value, as: field.type.compared(by: .eq), at: place(of: element)) {
                texts.append(text)
            }
        }
        let location = place(of: member.value)
        let condition = Condition.member(
            field, of: slot(for: ArrayLiteral.text(of: texts), at: location), isNegated: isNotIn)
        guard !isNotIn, field.isColumn, field.type.isUnbounded else { return condition }
        let beginnings = texts.map { text in
            text.map { String(String.UnicodeScalarView($0.unicodeScalars.prefix(FieldType.indexedPrefix))) }
        }
        return .all([condition, .indexedPrefix(field, of: slot(for: ArrayLiteral.text(of: beginnings), at: location))])
    }

    mutating func countCondition(at location: SourceLocation) {
        counts.conditions += 1
        if counts.conditions == limits.conditions + 1 {
            diagnostics.add(.outOfRange, at: location, "Donnez au plus \(limits.conditions) conditions par appel.")
        }
    }
}

extension FieldType {
    /// The type that a value compared with a field of this type must have: what a column cannot hold can still be
    /// compared with what it holds.
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
