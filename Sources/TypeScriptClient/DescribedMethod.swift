import DomainKit

/// One method of an OpenRPC document, as the client has it.
struct DescribedMethod {
    let name: String
    private let summary: String
    private let parameters: [Value]
    private let resultSchema: Value
    /// The table whose records it answers as `select` wants them.
    private let selectedTable: String?

    init?(_ description: Value) {
        guard let name = description["name"]?.text, case .array(let parameters)? = description["params"],
            let result = description["result"]?["schema"]
        else { return nil }
        self.name = name
        summary = description["summary"]?.text ?? ""
        self.parameters = parameters
        resultSchema = result
        let isSelecting = parameters.contains { $0["name"] == "select" }
        selectedTable = isSelecting ? description["x-entity"]?.text : nil
    }

    /// `sessions` of `sessions.list`.
    var group: String { String(name.prefix { $0 != "." }) }
    private var ownName: String { String(name.drop { $0 != "." }.dropFirst()) }

    private var parameterName: String { TypeScriptType.name(of: name) + "Params" }
    var parameterType: String { parameters.isEmpty ? "{ [key: string]: never }" : parameterName }

    private var isRequired: Bool { parameters.contains { $0["required"] == true } }

    var parameterInterface: String {
        guard !parameters.isEmpty else { return "" }
        let generics = selectedTable == nil ? "" : "<S extends string = string>"
        let lines = parameters.map { parameter in
            let name = parameter["name"]?.text ?? ""
            let type =
                name == "select" && selectedTable != nil
                ? "S | null" : TypeScriptType.type(of: parameter["schema"] ?? [:], indent: "  ")
            return TypeScriptType.comment(parameter["summary"]?.text, indent: "  ")
                + "  \(TypeScriptType.key(name))\(parameter["required"] == true ? "" : "?"): \(type);\n"
        }
        return "export interface \(parameterName)\(generics) {\n\(lines.joined())}\n"
    }

    /// - Parameter selected: whether `S` is there to say what is selected.
    func result(selected: Bool) -> String {
        guard let selectedTable else { return TypeScriptType.type(of: resultSchema, indent: "    ") }
        let record = selected ? "Selected<\(TypeScriptType.literal(.string(selectedTable))), S>" : "Loose"
        return isPage ? "Page<\(record)>" : record
    }

    private var isPage: Bool { resultSchema["properties"]?["has_next_page"] != nil }

    /// What of it stands in the client: the method, and for lists a way through all pages.
    var members: String {
        let generics = selectedTable == nil ? "" : "<S extends string = \"\">"
        let parameters =
            self.parameters.isEmpty
            ? "" : "params: \(parameterName)\(selectedTable == nil ? "" : "<S>")\(isRequired ? "" : " = {}"), "
        let given = self.parameters.isEmpty ? "{}" : "params"
        var text = TypeScriptType.comment(summary, indent: "    ")
        text +=
            "    \(ownName): \(generics)(\(parameters)options?: CallOptions): Promise<\(result(selected: true))> =>\n"
        text += "      this.invoke(\"\(name)\", \(given), options),\n"
        guard isPage, let selectedTable else { return text }
        let record = "Selected<\(TypeScriptType.literal(.string(selectedTable))), S>"
        text += "    /** All of them, page after page: `for await (const one of …)`. */\n"
        text += "    \(ownName)All: \(generics)(\(parameters)options?: CallOptions): AsyncGenerator<\(record)> =>\n"
        text +=
            "      this.pages((after) => this.invoke(\"\(name)\", after === null ? params : { ...params, after }, options)),\n"
        return text
    }
}
