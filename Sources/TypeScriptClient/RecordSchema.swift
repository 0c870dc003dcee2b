import DomainKit
import JSON

/// The schema of a table's records, divided into columns, derived fields and relations.
struct RecordSchema {
    let name: String
    private let properties: [JSONObject.Member]

    init(name: String, _ schema: JSONValue) {
        self.name = name
        guard case .object(let properties)? = schema["properties"] else {
            self.properties = []
            return
        }
        self.properties = properties.members
    }

    var typeName: String { TypeScriptType.name(of: name) }

    private var stored: [JSONObject.Member] {
        properties.filter { $0.value["x-derived"] == nil && $0.value["x-target"] == nil }
    }

    var columnNames: [String] { stored.map(\.name) }

    /// The columns as lines of an interface.
    var columns: String {
        stored.map { member in
            TypeScriptFile.comment(
                member.value["description"]?.text, label: member.value["x-label"]?.text, indent: "  ")
                + "  \(TypeScriptType.key(member.name)):"
                + "\(TypeScriptType.spaced(TypeScriptType.answered.type(of: member.value, indent: "  ")));\n"
        }.joined()
    }

    var derived: String {
        inline(properties.filter { $0.value["x-derived"] == true }) { TypeScriptType.answered.type(of: $0) }
    }

    var one: String { inline(relations { $0["type"] != "array" }, target) }
    var many: String { inline(relations { $0["type"] == "array" }, target) }

    private func relations(_ isWanted: (JSONValue) -> Bool) -> [JSONObject.Member] {
        properties.filter { $0.value["x-target"] != nil && isWanted($0.value) }
    }

    private func target(of relation: JSONValue) -> String {
        TypeScriptType.literal(relation["x-target"] ?? .null)
    }

    private func inline(_ members: [JSONObject.Member], _ type: (JSONValue) -> String) -> String {
        guard !members.isEmpty else { return "{}" }
        let list = members.map { "\(TypeScriptType.key($0.name)): \(type($0.value))" }
        let whole = "{ \(list.joined(separator: "; ")) }"
        return whole.count < 90 ? whole : "{\n\(list.map { "      \($0);\n" }.joined())    }"
    }
}
