import DomainKit
import JSON
import TestSupport

/// Generates selections from the schemas of records.
struct SelectionSampler {
    let description: ServiceDescription
    /// The caller's role; nil for one that reads every table.
    let role: Role?
    var random: SeededGenerator
    /// The values of the variables of the generated selections.
    private(set) var variables: [(String, JSONValue)] = []
    private var fragments: [String] = []

    init(description: ServiceDescription, role: Role?, random: SeededGenerator) {
        self.description = description
        self.role = role
        self.random = random
    }

    mutating func selection(of entity: String) -> String {
        let root = set(of: entity, depth: 0)
        return ([root] + fragments).joined(separator: random.chance(0.5) ? "\n" : " , # et ensuite\n")
    }

    mutating func aggregates(of entity: String) -> String {
        let numbers = properties(of: entity).filter { ["number", "integer"].contains($0.type) }.map(\.name)
        var parts = random.chance(0.7) ? ["count"] : []
        for function in ["sum", "avg", "min", "max"].shuffled(using: &random).prefix(
            Int.random(in: 0...2, using: &random))
        {
            let fields = numbers.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
            if !fields.isEmpty { parts.append("\(function) { \(fields.joined(separator: " ")) }") }
        }
        return "{ \(parts.isEmpty ? "count" : parts.joined(separator: " ")) }"
    }

    private struct Property {
        let name: String
        let type: String
        let target: String?
        var isMany: Bool { type == "array" }
    }

    private func properties(of entity: String) -> [Property] {
        guard case .object(let members)? = description.document.at("/components/schemas/\(entity)")["properties"] else {
            return []
        }
        return members.members.compactMap { member in
            let type = member.value["type"]
            let target = member.value["x-target"]?.text
            if let target, !isReadable(target) { return nil }
            return Property(
                name: member.name, type: type?.text ?? type?.array.first?.text ?? "", target: target)
        }
    }

    private mutating func set(of entity: String, depth: Int) -> String {
        let all = properties(of: entity)
        var fields: [String] = []
        for property in all.shuffled(using: &random).prefix(Int.random(in: 1...5, using: &random)) {
            guard let target = property.target else {
                fields.append(random.chance(0.2) ? "alias_\(property.name): \(property.name)" : property.name)
                continue
            }
            guard depth < 2 else { continue }
            let arguments = property.isMany ? self.arguments(of: target) : ""
            fields.append("\(property.name)\(arguments) \(set(of: target, depth: depth + 1))")
        }
        if random.chance(0.1) { fields.append("__typename") }
        if random.chance(0.1) {
            let name = "Partie\(fragments.count)"
            fragments.append("fragment \(name) on \(entity) { id }")
            fields.append("...\(name)")
        }
        if fields.isEmpty { fields = ["id"] }
        return "{ \(fields.joined(separator: random.chance(0.2) ? ", " : " ")) }"
    }

    private func isReadable(_ entity: String) -> Bool {
        guard let role else { return true }
        return description.methods.contains { $0.name == "\(entity).list" && $0.roles.contains(role.name) }
    }

    private func isSearchable(_ entity: String) -> Bool {
        description.methods.contains { method in
            method.name == "\(entity).list" && method.parameters.contains { $0["name"] == "search" }
        }
    }

    private mutating func arguments(of target: String) -> String {
        let number = Int.random(in: 1...3, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            let name = "n\(variables.count)"
            variables.append((name, JSONValue(number)))
            return "(first: $\(name))"
        case 1: return "(first: \(number), order_by: [\"-id\"])"
        case 2: return "(first: \(number), where: {id: {gte: 1}})"
        case 3 where isSearchable(target): return "(first: \(number), search: \"a\")"
        default: return "(first: \(number))"
        }
    }
}
