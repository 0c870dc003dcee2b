import DomainKit
import JSON

/// The constants of the client that say who may call which method, and which columns a write may have.
struct RightsTable {
    private struct Entry {
        let group: String
        let name: String
        let roles: [JSONValue]
        /// The members of `values`; empty for a method without them.
        let columns: [String]
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
            guard let name = method["name"]?.text, case .array(let roles)? = method["x-roles"],
                case .array(let parameters)? = method["params"]
            else { return nil }
            let values = parameters.first { $0["name"] == "values" }?["schema"]
            let target = values?["$ref"]?.text?.split(separator: "/").last.flatMap { schemas?[String($0)] }
            var columns: [String] = []
            if case .object(let properties)? = (target ?? values)?["properties"] {
                columns = properties.members.map(\.name)
            }
            let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
            return Entry(group: parts[0], name: parts.last ?? "", roles: roles, columns: columns)
        }
    }

    var source: String {
        """
        // Rights

        /** The roles that accounts may have. */
        export type RoleName = \(roleNames);

        /** The roles that may call each method; null: everyone, also without an account. */
        export const rights = {
        \(object(entries) { $0.roles.isEmpty ? "null" : "[\(Self.list($0.roles))]" })
        } as const;

        /** The members that the `values` of each method may have. */
        export const writable = {
        \(object(entries.filter { !$0.columns.isEmpty }, Self.columns))
        } as const;

        /** Whether a caller with these roles, one or several, may call the method; to which rows, the service decides. */
        export function may(roles: string | readonly string[], method: keyof Methods): boolean {
          const [group = "", name = ""] = method.split(".");
          const allowed = (rights as Record<string, Record<string, readonly string[] | null>>)[group]?.[name];
          const held = typeof roles === "string" ? [roles] : roles;
          return allowed === null || (allowed ?? []).some((role) => held.includes(role));
        }

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

    private static func list(_ values: [JSONValue]) -> String {
        values.map(TypeScriptType.literal).joined(separator: ", ")
    }
}
