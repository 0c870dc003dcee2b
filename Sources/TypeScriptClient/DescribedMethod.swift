import DomainKit

/// One method of an OpenRPC document, as the client has it.
struct DescribedMethod {
    let name: String
    private let summary: String
    private let parameters: [Value]
    private let resultSchema: Value
    private let answer: Answer

    /// How the answer's type follows from the call's.
    private enum Answer {
        /// As its schema says, whatever is asked.
        case fixed
        /// Records of a table, as `select` wants them.
        case selected(String)
        /// Numbers over groups of a table's records; `groups` is the type of `group_by`.
        case aggregated(String, groups: String)
    }

    init?(_ description: Value) {
        guard let name = description["name"]?.text, case .array(let parameters)? = description["params"],
            let result = description["result"]?["schema"]
        else { return nil }
        self.name = name
        summary = description["summary"]?.text ?? ""
        self.parameters = parameters
        resultSchema = result
        func schema(of name: String) -> Value? {
            parameters.first { $0["name"] == .string(name) }?["schema"]
        }
        if let table = schema(of: "select")?["x-selection-of"]?.text {
            answer = .selected(table)
        } else if let table = schema(of: "select")?["x-aggregates-of"]?.text, let groups = schema(of: "group_by"),
            case .array(let alternatives)? = groups["anyOf"], let first = alternatives.first
        {
            answer = .aggregated(table, groups: TypeScriptType.type(of: first))
        } else {
            answer = .fixed
        }
    }

    /// `sessions` of `sessions.list`.
    var group: String { String(name.prefix { $0 != "." }) }
    private var ownName: String { String(name.drop { $0 != "." }.dropFirst()) }

    private var parameterName: String { TypeScriptType.name(of: name) + "Params" }
    var parameterType: String { parameters.isEmpty ? "{ [key: string]: never }" : parameterName }

    private var isRequired: Bool { parameters.contains { $0["required"] == true } }

    var parameterInterface: String {
        guard !parameters.isEmpty else { return "" }
        let generics =
            switch answer {
            case .fixed: ""
            case .selected: "<S extends string = string>"
            case .aggregated(_, let groups):
                "<S extends string = string, G extends \(groups)[number] = \(groups)[number]>"
            }
        let lines = parameters.map { parameter in
            TypeScriptType.comment(parameter["summary"]?.text, indent: "  ")
                + "  \(TypeScriptType.key(parameter["name"]?.text ?? ""))\(parameter["required"] == true ? "" : "?"):"
                + " \(type(of: parameter));\n"
        }
        return "export interface \(parameterName)\(generics) {\n\(lines.joined())}\n"
    }

    private func type(of parameter: Value) -> String {
        switch (answer, parameter["name"]) {
        case (.selected(let table), "select"): "Selection<\(TypeScriptType.literal(.string(table))), S> | null"
        case (.aggregated, "select"): "S"
        case (.aggregated, "group_by"): "readonly G[] | null"
        default: TypeScriptType.type(of: parameter["schema"] ?? [:], indent: "  ")
        }
    }

    /// - Parameter known: whether `S` and `G` are there to say what is asked for.
    func result(known: Bool) -> String {
        switch answer {
        case .fixed: return TypeScriptType.type(of: resultSchema, indent: "    ")
        case .selected(let table):
            let record = known ? "Selected<\(TypeScriptType.literal(.string(table))), S>" : "Loose"
            return isPage ? "Page<\(record)>" : record
        case .aggregated(let table, _):
            return "Groups<\(known ? "Aggregated<\(TypeScriptType.literal(.string(table))), S, G>" : "Loose")>"
        }
    }

    private var isPage: Bool { resultSchema["properties"]?["end_cursor"] != nil }

    /// What of it stands in the client: the method, and for lists a way through all pages.
    var members: String {
        let (generics, arguments) =
            switch answer {
            case .fixed: ("", "")
            case .selected: ("<S extends string = \"\">", "<S>")
            case .aggregated(_, let groups):
                ("<S extends string, G extends \(groups)[number] = never>", "<S, G>")
            }
        let parameters =
            self.parameters.isEmpty ? "" : "params: \(parameterName)\(arguments)\(isRequired ? "" : " = {}"), "
        let given = self.parameters.isEmpty ? "{}" : "params"
        var text = TypeScriptType.comment(summary, indent: "    ")
        text += "    \(ownName): \(generics)(\(parameters)options?: CallOptions): Promise<\(result(known: true))> =>\n"
        text += "      this.invoke(\"\(name)\", \(given), options),\n"
        guard isPage, case .selected(let table) = answer else { return text }
        let record = "Selected<\(TypeScriptType.literal(.string(table))), S>"
        text += "    /** All of them, page after page: `for await (const one of …)`. */\n"
        text += "    \(ownName)All: \(generics)(\(parameters)options?: CallOptions): AsyncGenerator<\(record)> =>\n"
        text +=
            "      this.pages((after) => this.invoke(\"\(name)\", after === null ? params : { ...params, after }, options)),\n"
        return text
    }
}
