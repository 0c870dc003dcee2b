import DomainKit

/// The arguments of a to-many relation.
struct ListArguments {
    var filter: Condition?
    var search: [Int] = []
    var order: [OrderKey]?
    var first: Int?

    init(_ arguments: [Argument], of target: Table, in resolution: inout Resolution) {
        let known = ["where"] + (target.entity.search == nil ? [] : ["search"]) + ["order_by", "first"]
        var seen: Set<String> = []
        for argument in arguments {
            let name = argument.name.text
            let value = LocatedValue(argument.value)
            guard seen.insert(name).inserted else {
                resolution.diagnostics.add(
                    .duplicate, at: .selection(argument.name.position),
                    "L'argument \(name.quotedInFrench) est donné deux fois.")
                continue
            }
            guard !resolution.isNull(value) else {
                // As null leaves out a parameter of a list; the name must be known all the same.
                if !known.contains(name) { Self.refuse(argument, known, in: &resolution) }
                continue
            }
            switch name {
            case "where": filter = resolution.condition(value, on: target)
            case "search" where target.entity.search != nil: search = resolution.search(value)
            case "order_by": order = resolution.order(value, on: target)
            case "first": first = resolution.first(value)
            default: Self.refuse(argument, known, in: &resolution)
            }
        }
    }

    private static func refuse(_ argument: Argument, _ known: [String], in resolution: inout Resolution) {
        let name = argument.name.text
        resolution.diagnostics.add(
            .unknown, at: .selection(argument.name.position),
            "L'argument \(name.quotedInFrench) n'existe pas\u{A0}; une relation prend"
                + " \(known.joined(separator: ", ")).",
            suggestion: resolution.diagnostics.nearest(to: name, among: known))
    }
}
