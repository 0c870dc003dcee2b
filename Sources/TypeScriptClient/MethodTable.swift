import DomainKit
import JSON

/// The constants of the client that say how each method is called, who may call it, and which columns a write may have.
struct MethodTable {
    private struct Entry {
        let group: String
        let name: String
        let behaviour: String
        let roles: [JSONValue]
        /// The members of `values`; empty for a method without them.
        let columns: [String]

        /// The behaviour and the roles, as one literal of a few words. `*` stands for everyone.
        var words: String {
            let names = roles.isEmpty ? ["*"] : roles.compactMap(\.text)
            return TypeScriptType.literal(.string(([behaviour] + names).joined(separator: " ")))
        }
    }

    private let entries: [Entry]

    /// - Parameter description: an OpenRPC document. The roles come from its extension `x-roles`.
    init(_ description: JSONValue) {
        guard case .array(let methods)? = description["methods"] else {
            entries = []
            return
        }
        let schemas = description["components"]?["schemas"]
        entries = methods.compactMap { method in
            guard let described = DescribedMethod(method), case .array(let roles)? = method["x-roles"],
                case .array(let parameters)? = method["params"]
            else { return nil }
            let values = parameters.first { $0["name"] == "values" }?["schema"]
            let target = values?["$ref"]?.text?.split(separator: "/").last.flatMap { schemas?[String($0)] }
            var columns: [String] = []
            if case .object(let properties)? = (target ?? values)?["properties"] {
                columns = properties.members.map(\.name)
            }
            return Entry(
                group: described.group, name: described.ownName, behaviour: described.behaviour, roles: roles,
                columns: columns)
        }
    }

    var source: String {
        """
        // Rights

        /** The roles that accounts may have. */
        export type RoleName = \(roleNames);

        /**
         * The methods, each with what cannot be seen from its name. The first word says how a call may be repeated: "pages" and
         * "reads" only read, "keyed" takes an idempotency key, "once" is not repeated. "()" follows if the method has no
         * parameters. Then come the roles that may call it; "*": everyone.
         */
        const methods = {
        \(object(entries, \.words))
        } as const;

        /** The members that the `values` of each method may have. */
        export const writable = {
        \(object(entries.filter { !$0.columns.isEmpty }, Self.columns))
        } as const;

        """
    }

    private var roleNames: String {
        var names: [JSONValue] = []
        for role in entries.flatMap(\.roles) where !names.contains(role) { names.append(role) }
        return names.isEmpty ? "never" : names.map(TypeScriptType.literal).joined(separator: " | ")
    }

    /// The groups with their methods as lines of an object.
    private func object(_ entries: [Entry], _ value: (Entry) -> String) -> String {
        var groups: [(name: String, lines: [String])] = []
        for entry in entries {
            if !groups.contains(where: { $0.name == entry.group }) { groups.append((entry.group, [])) }
            let line = "    \(TypeScriptType.key(entry.name)): \(value(entry)),"
            for index in groups.indices where groups[index].name == entry.group { groups[index].lines.append(line) }
        }
        return groups.map { "  \(TypeScriptType.key($0.name)): {\n\($0.lines.joined(separator: "\n"))\n  }," }
            .joined(separator: "\n")
    }

    private static func columns(_ entry: Entry) -> String {
        let names = entry.columns.map { TypeScriptType.literal(.string($0)) + "," }
        let lines = TypeScriptFile.fill(names, width: TypeScriptFile.width - 6).map { "      \($0)" }
        return "[\n\(lines.joined(separator: "\n"))\n    ]"
    }
}
