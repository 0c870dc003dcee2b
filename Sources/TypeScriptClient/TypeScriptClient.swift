import DomainKit
package import JSON

/// Generates a client for a service: one TypeScript file without dependencies, from the service's OpenRPC document.
///
/// ```swift
/// print(TypeScriptClient(description: description).source)
/// ```
package struct TypeScriptClient: Sendable {
    private let description: JSONValue
    private let methods: [DescribedMethod]

    /// - Parameter description: the result of `rpc.discover`. The generator relies on its extensions `x-table`, `x-target`,
    ///   `x-derived`, `x-selection-of`, `x-aggregates-of`, `x-roles`, `x-label` and `x-labels`.
    package init(description: JSONValue) {
        self.description = description
        guard case .array(let methods)? = description["methods"] else {
            self.methods = []
            return
        }
        self.methods = methods.compactMap(DescribedMethod.init)
    }

    /// The text of the file.
    package var source: String {
        """
        \(header)
        \(schemas)
        \(entities)
        \(errors)
        \(parameters)
        \(methodMap)
        \(MethodTable(description).source)
        \(LabelTable(description).source)
        \(String(decoding: PackageResources.runtime_ts, as: UTF8.self))
        \(String(decoding: PackageResources.events_ts, as: UTF8.self))
        \(client)
        """
    }

    /// The comment at the top: what the file is, its origin, its requirements, an example.
    private var header: String {
        let title = description["info"]?["title"]?.text ?? ""
        let version = description["info"]?["version"]?.text ?? ""
        return """
            // \(title) \(version): a typed client in one file, without dependencies.
            // Generated from the service's OpenRPC document by `learntrack client typescript`. Do not edit: generate it again.
            //
            // Requires TypeScript 4.8 or later with `--strict --target es2018 --lib es2018,dom` or later ones. Runs in browsers
            // and in Node 18 or later; a Node that strips types runs the file as it is.
            //
            //     const client = new Client({ url: "https://example.org" });
            //     await client.auth.login({ email, password });
            \(example)
            """
    }

    private var example: String {
        guard let (call, table) = methods.lazy.compactMap(\.example).first,
            let schema = schemaMembers.first(where: { $0.name == table })
        else { return "" }
        let columns = RecordSchema(name: table, schema.value).columnNames.prefix(2)
        return """
            //     const page = await client.\(call)({ first: 10, select: "{ \(columns.joined(separator: " ")) }" });
            //     for (const one of page.items) console.log(\(columns.map { "one.\($0)" }.joined(separator: ", ")));

            """
    }

    // MARK: Types

    private var schemaMembers: [JSONObject.Member] {
        guard case .object(let schemas)? = description["components"]?["schemas"] else { return [] }
        return schemas.members
    }

    private var schemas: String {
        let answered = errorDataNames
        var text = ""
        for member in schemaMembers where member.value["x-table"] == nil {
            let name = TypeScriptType.name(of: member.name)
            let reader: TypeScriptType = answered.contains(name) ? .answered : .given
            text += TypeScriptFile.comment(member.value["description"]?.text, indent: "")
            if member.value["type"] == "object", case .object = member.value["properties"] {
                text += "export interface \(name) \(reader.object(member.value))\n\n"
            } else {
                text += "export type \(name) =\(TypeScriptType.spaced(reader.type(of: member.value)));\n\n"
            }
        }
        return text
    }

    /// The records: for each table an interface with its columns, and a map of everything that can be selected.
    private var entities: String {
        var interfaces = ""
        var map = "export interface Entities {\n"
        let numbers = Dictionary(methods.compactMap(\.numbers)) { first, _ in first }
        for table in schemaMembers where table.value["x-table"] == true {
            let record = RecordSchema(name: table.name, table.value)
            interfaces += "export interface \(record.typeName) {\n\(record.columns)}\n\n"
            map += """
                  \(TypeScriptType.key(table.name)): {
                    columns: \(record.typeName);
                    derived: \(record.derived);
                    one: \(record.one);
                    many: \(record.many);
                    numbers: \(numbers[table.name].map { "\($0)[number]" } ?? "never");
                  };

                """
        }
        return interfaces + map + "}\n"
    }

    private var errorDataNames: [String] {
        guard case .object(let errors)? = description["components"]?["errors"] else { return [] }
        return errors.members.compactMap { $0.value["data"].map { TypeScriptType.answered.type(of: $0) } }
    }

    private var errors: String {
        "export type ErrorData =\n  | \(errorDataNames.joined(separator: "\n  | "));\n"
    }

    // MARK: Methods

    private var parameters: String {
        methods.map(\.parameterInterface).joined(separator: "\n")
    }

    private var methodMap: String {
        let lines = methods.map { method in
            "  \(TypeScriptType.key(method.name)): { params: \(method.parameterType); result: \(method.result(known: false)) };\n"
        }
        return "export interface Methods {\n\(lines.joined())}\n"
    }

    private var client: String {
        var groups: [(name: String, methods: [DescribedMethod])] = []
        for method in methods {
            if let index = groups.firstIndex(where: { $0.name == method.group }) {
                groups[index].methods.append(method)
            } else {
                groups.append((method.group, [method]))
            }
        }
        let members = groups.map { group in
            "  readonly \(group.name): {\n\(group.methods.map(\.members).joined())  };\n"
        }
        return """
            /** The methods of the service: `await client.auth.login({ email, password })`. */
            export interface Client {
            \(members.joined(separator: "\n"))}

            """
    }
}
