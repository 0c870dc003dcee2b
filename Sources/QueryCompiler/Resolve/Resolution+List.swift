import DomainKit
import JSON

/// Resolves `first` and `search`.
extension Resolution {
    /// `first`: an integer from 1 to the limit.
    mutating func first(_ located: LocatedValue) -> Int? {
        guard let form = open(located) else { return nil }
        guard case .scalar(let value) = form else {
            diagnostics.add(.expectedInteger, at: location(of: located))
            return nil
        }
        return text(of: value, as: .smallint(1...limits.maxFirst), at: location(of: located)).flatMap { Int($0) }
    }

    /// `search`: the words are parameters as they are written; Postgres normalises them.
    ///
    /// - Parameter near: whether words that resemble these will do.
    mutating func search(_ located: LocatedValue, near: Bool = false) -> [SearchWord] {
        guard let form = open(located) else { return [] }
        let location = location(of: located)
        guard case .scalar(let value) = form else {
            diagnostics.add(.expectedText, at: location)
            return []
        }
        guard let text = text(of: value, as: .text(maxLength: nil), at: location) else { return [] }
        guard text.utf8.count <= limits.searchLength || text.unicodeScalars.count <= limits.searchLength else {
            diagnostics.add(.searchTooLong(max: limits.searchLength), at: location)
            return []
        }
        let words = text.unicodeScalars.split { $0.properties.isWhitespace }
        guard words.count <= limits.searchWords else {
            diagnostics.add(.tooManySearchWords(max: limits.searchWords), at: location)
            return []
        }
        // A word is searched in a long text, so it counts as ten conditions.
        for _ in 0..<(words.count * 10) { countCondition(at: location) }
        return words.map { SearchWord(String($0), slot: slot(for: String($0)), near: near) }
    }
}

/// The arguments of a to-many relationship in a `select` text.
struct ListArguments {
    var filter: Condition?
    var search: [SearchWord] = []
    var order: [OrderKey]?
    var first: Int?

    init(_ arguments: [Argument], of target: Table, in resolution: inout Resolution) {
        let known = ["where"] + (target.entity.search == nil ? [] : ["search"]) + ["order_by", "first"]
        var seen: Set<String> = []
        for argument in arguments {
            let name = argument.name.text
            let value = LocatedValue(argument.value)
            guard seen.insert(name).inserted else {
                resolution.diagnostics.add(.duplicateArgument(name), at: .selection(argument.name.position))
                continue
            }
            guard known.contains(name) else {
                let suggestion = resolution.diagnostics.nearest(to: name, among: known)
                resolution.diagnostics.add(
                    .unknownArgument(name, known: known, suggestion: suggestion),
                    at: .selection(argument.name.position))
                continue
            }
            // As for the params of a list method, null is the same as no argument.
            guard !resolution.isNull(value) else { continue }
            switch name {
            case "where": filter = resolution.condition(value, on: target)
            case "search": search = resolution.search(value)
            case "order_by": order = resolution.order(value, on: target)
            default: first = resolution.first(value)
            }
        }
    }
}
