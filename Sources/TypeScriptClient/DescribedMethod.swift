import DomainKit
import JSON

/// A method of an OpenRPC document, and the TypeScript declarations for it.
struct DescribedMethod {
    let name: String
    private let summary: String
    private let label: String?
    private let parameters: [JSONValue]
    private let resultSchema: JSONValue
    private let resultType: ResultType
    /// Whether the method has records and no error after which it is unknown if it has written.
    private let isAboutRecords: Bool

    /// How the type of the result depends on the parameters.
    private enum ResultType {
        /// It does not: the type is that of the result's schema.
        case fixed
        /// Records of a table, with the fields of `select`.
        case selected(String)
        /// Numbers over groups of a table's records. `groups` is the type of `group_by`, `order` that of `order_by`.
        case aggregated(String, groups: String, order: String)
        /// The results of calls of these methods.
        case transaction([JSONValue])
    }

    init?(_ description: JSONValue) {
        guard let name = description["name"]?.text, case .array(let parameters)? = description["params"],
            let result = description["result"]?["schema"]
        else { return nil }
        self.name = name
        summary = description["summary"]?.text ?? ""
        label = description["x-label"]?.text
        self.parameters = parameters
        resultSchema = result
        var canWrite = false
        if case .array(let errors)? = description["errors"] {
            canWrite = errors.contains { $0["data"]?["$ref"]?.text?.hasSuffix("_outcome_unknown") == true }
        }
        isAboutRecords = !canWrite && description["x-entity"] != nil
        func schema(of name: String) -> JSONValue? {
            parameters.first { $0["name"] == .string(name) }?["schema"]
        }
        if let table = schema(of: "select")?["x-selection-of"]?.text {
            resultType = .selected(table)
        } else if let table = schema(of: "select")?["x-aggregates-of"]?.text,
            let groups = schema(of: "group_by")?.firstAlternative, let order = schema(of: "order_by")?.firstAlternative
        {
            resultType = .aggregated(
                table, groups: TypeScriptType.given.type(of: groups), order: TypeScriptType.given.type(of: order))
        } else if let calls = schema(of: "calls"), calls["x-calls"] == true,
            case .array(let methods)? = calls["items"]?["properties"]?["method"]?["enum"]
        {
            resultType = .transaction(methods)
        } else {
            resultType = .fixed
        }
    }

    /// `sessions` of `sessions.list`.
    var group: String { String(name.prefix { $0 != "." }) }
    /// `list` of `sessions.list`.
    var ownName: String { String(name.drop { $0 != "." }.dropFirst()) }

    private var parameterName: String { TypeScriptType.name(of: name) + "Params" }
    var parameterType: String { parameters.isEmpty ? "{ [key: string]: never }" : parameterName }

    private var isRequired: Bool { parameters.contains { $0["required"] == true } }

    /// Whether the method writes once for all calls with the same key.
    private var takesKey: Bool { parameters.contains { $0["name"] == "idempotency_key" } }

    /// Whether the method only reads, as far as the description shows.
    private var onlyReads: Bool { !takesKey && (isAboutRecords || isPage) }

    /// Whether the method has a parameter `count`, which decides whether the result has a total.
    private var isCounted: Bool { isPage && parameters.contains { $0["name"] == "count" } }

    /// The table of an aggregate, and the names of its numbers, which are those of its order; nil for other methods.
    var numbers: (table: String, order: String)? {
        if case .aggregated(let table, _, let order) = resultType { (table, order) } else { nil }
    }

    var parameterInterface: String {
        guard !parameters.isEmpty else { return "" }
        let generics =
            switch resultType {
            case .fixed: ""
            case .selected where isCounted:
                "<S extends string = string, C extends boolean | null = boolean | null>"
            case .selected: "<S extends string = string>"
            case .aggregated(_, let groups, _):
                "<\n  S extends string = string,\n  G extends \(groups)[number] = \(groups)[number]\n>"
            case .transaction: "<T extends readonly \(callType)[] = readonly \(callType)[]>"
            }
        let lines = parameters.map { parameter in
            TypeScriptFile.comment(
                parameter["summary"]?.text, label: parameter["schema"]?["x-label"]?.text, indent: "  ")
                + "  \(TypeScriptType.key(parameter["name"]?.text ?? ""))\(parameter["required"] == true ? "" : "?"):"
                + "\(TypeScriptType.spaced(type(of: parameter)));\n"
        }
        return "\(calls)export interface \(parameterName)\(generics) {\n\(lines.joined())}\n"
    }

    private var callType: String { TypeScriptType.name(of: name) + "Call" }

    /// The types of the calls of a transaction and of their results; empty for other methods.
    private var calls: String {
        guard case .transaction(let methods) = resultType else { return "" }
        let names = TypeScriptType.name(of: name) + "Method"
        return """
            /** The methods that a transaction can call. */
            export type \(names) =
            \(methods.map { "  | \(TypeScriptType.literal($0))" }.joined(separator: "\n"));

            /** A call of a transaction. `as` is its name, to which later calls refer by `idOf`. */
            export type \(callType) = {
              [M in \(names)]: {
                method: M;
                params: Omit<Methods[M]["params"], "idempotency_key" | "dry_run">;
                as?: string | null;
              };
            }[\(names)];

            /** The results of the calls T, in their order. */
            export type \(resultsType)<T> = {
              -readonly [K in keyof T]: T[K] extends { method: infer M extends keyof Methods } ? Methods[M]["result"] : never;
            };


            """
    }

    private var resultsType: String { TypeScriptType.name(of: name) + "Results" }

    private func type(of parameter: JSONValue) -> String {
        switch (resultType, parameter["name"]) {
        case (.selected(let table), "select"): "Selection<\(TypeScriptType.literal(.string(table))), S> | null"
        case (.selected, "count") where isCounted: "C"
        case (.aggregated(let table, _, _), "select"):
            "Aggregation<\(TypeScriptType.literal(.string(table))), S>"
        case (.aggregated, "group_by"): "readonly G[] | null"
        case (.transaction, "calls"): "T"
        default: TypeScriptType.given.type(of: parameter["schema"] ?? [:], indent: "  ")
        }
    }

    /// The type of the result.
    ///
    /// - Parameter known: whether the type parameters `S`, `C` and `G` are in scope.
    func result(known: Bool) -> String {
        switch resultType {
        case .fixed: return TypeScriptType.answered.type(of: resultSchema, indent: "    ")
        case .selected(let table):
            let record = known ? "Selected<\(TypeScriptType.literal(.string(table))), S>" : "Loose"
            if isList { return "{ items: \(record)[] }" }
            guard isPage else { return record }
            return known && isCounted ? "PageOf<\(record), C>" : "Page<\(record)>"
        case .aggregated(let table, _, _):
            return "Groups<\(known ? "Aggregated<\(TypeScriptType.literal(.string(table))), S, G>" : "Loose")>"
        case .transaction:
            return "{ results: \(known ? "\(resultsType)<T>" : "Loose[]") }"
        }
    }

    /// Whether the result has all records, without pages.
    private var isList: Bool { !isPage && resultSchema["properties"]?["items"] != nil }
    private var isPage: Bool { resultSchema["properties"]?["end_cursor"] != nil }

    /// Whether the client iterates over the records of all pages.
    private var isIterated: Bool {
        if case .selected = resultType { isPage } else { false }
    }

    /// What the runtime has to know of the method beside its roles, in one word: how a call may be repeated, and `()` if it has
    /// no parameters.
    var behaviour: String {
        (isIterated ? "pages" : onlyReads ? "reads" : takesKey ? "keyed" : "once") + (parameters.isEmpty ? "()" : "")
    }

    /// The method's members of the interface `Client`: the method itself and, for a list, an iteration over all pages.
    var members: String {
        let (generics, arguments) =
            switch resultType {
            case .fixed: ("", "")
            case .selected where isCounted: ("<S extends string = \"\", C extends boolean | null = null>", "<S, C>")
            case .selected: ("<S extends string = \"\">", "<S>")
            case .aggregated(_, let groups, _):
                ("<S extends string, G extends \(groups)[number] = never>", "<S, G>")
            case .transaction: ("<T extends readonly \(callType)[] | []>", "<T>")
            }
        let text = """
            \(TypeScriptFile.comment(summary, label: label, indent: "    "))    \(ownName): \(generics)(
                  \(formal(arguments))options?: CallOptions,
                ) => Promise<\(result(known: true))>;

            """
        guard isIterated, case .selected(let table) = resultType else { return text }
        return text + """
                /** All records, requested page by page: `for await (const one of …)`. */
                \(ownName)All: <S extends string = "">(
                  \(formal("<S>"))options?: CallOptions,
                ) => AsyncGenerator<Selected<\(TypeScriptType.literal(.string(table))), S>>;

            """
    }

    /// The parameter list of the TypeScript function, up to its options.
    private func formal(_ arguments: String) -> String {
        parameters.isEmpty ? "" : "params\(isRequired ? "" : "?"): \(parameterName)\(arguments), "
    }

    /// The name of a list for the example in the file's header, and its table; nil for other methods.
    var example: (call: String, table: String)? {
        guard isPage, !isRequired, case .selected(let table) = resultType else { return nil }
        return (name, table)
    }
}

extension JSONValue {
    /// The first alternative of a schema. The second is null if the value may be left out.
    fileprivate var firstAlternative: JSONValue? {
        if case .array(let alternatives)? = self["anyOf"] { alternatives.first } else { nil }
    }
}
