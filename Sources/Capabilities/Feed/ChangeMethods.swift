import DomainKit
import JSON
import PostgresDriver
import RPCServer

/// `changes.list`: the feed for clients that ask by themselves.
struct ChangeMethods {
    let log: ChangeLog
    let tables: FeedTables

    var list: Method {
        let after = MethodParameter(
            optional: "after", .changeCursor,
            summary: "La suite de la page dont c’est end_cursor\u{202F}; sans cela, la position actuelle.")
        let names = MethodParameter(
            optional: "tables", .list(of: .choice(tables.names), max: max(1, tables.names.count)),
            summary: "Les tables suivies\u{202F}; sans cela, toutes celles qu’on peut lire.")
        let first = MethodParameter(
            optional: "first", .count(1...ChangeFeed.pageSize), summary: "Combien de changements au plus (50).")
        return Method(
            name: "changes.list", summary: "Les changements validés, dans l’ordre où ils sont devenus visibles.",
            rights: .signedIn, parameters: [after, names, first], result: .changes(tables.names)
        ) { [log, tables] (params, call) throws(CallError) in
            guard let caller = call.caller else {
                throw .execution(.unexpected(cause: "a method for signed-in accounts has no caller"))
            }
            let filter = try tables.filter(for: caller, in: call.company, tables: params[names], at: "/tables")
            let (cursor, count) = (params[after], params[first] ?? Self.defaultFirst)
            return .work { call throws(ExecutionError) in
                .value(try await Self.page(of: log, after: cursor, first: count, filter, caller, call))
            }
        }
    }

    private static let defaultFirst = 50

    private static func page(
        of log: ChangeLog, after cursor: ChangeCursor?, first: Int, _ filter: ChangeFilter, _ caller: Caller,
        _ call: Call
    ) async throws(ExecutionError) -> JSONValue {
        let deadline = call.context.deadline
        guard let cursor else {
            let present = try await mapError(
                async: await log.position(deadline: deadline), ExecutionError.init(postgres:))
            return ["items": [], "end_cursor": .string(present.text), "has_next_page": false]
        }
        var items: [JSONValue] = []
        var end = cursor
        var hasNext = true
        // The log has the changes of all tables, and of all subjects: those that the caller may not see leave room for others.
        for _ in 0..<maxReads where hasNext && items.count < first {
            let limit = first - items.count
            let page = try await mapError(
                async: await log.page(after: end, first: limit, for: caller.share, deadline: deadline),
                ExecutionError.init(postgres:))
            items += try Self.items(of: page, filter)
            end = page.end
            hasNext = page.changes.count == limit
        }
        return ["items": .array(items), "end_cursor": .string(end.text), "has_next_page": .bool(hasNext)]
    }

    /// How many pages of the log one call reads at most.
    private static let maxReads = 20

    private static func items(
        of page: ChangeLog.Page, _ filter: ChangeFilter
    ) throws(ExecutionError) -> [JSONValue] {
        guard page.isContinuous else {
            throw .invalidValues([FeedProblem.cursorTooOld.problem(at: "/after")])
        }
        var items: [JSONValue] = []
        for change in page.changes {
            switch change {
            case .record(let change):
                if let operation = filter.operation(of: change) { items.append(change.value(as: operation)) }
            case .emptied(let table, _):
                // No page leads past it: what the client has loaded of the table is out of date.
                guard filter.tables[table] == nil else {
                    throw .invalidValues([FeedProblem.cursorTooOld.problem(at: "/after")])
                }
            }
        }
        return items
    }
}

extension RecordChange {
    fileprivate func value(as operation: Operation) -> JSONValue {
        [
            "table": .string(table), "id": .number(record), "op": .string(operation.rawValue),
            "version": version.map { .number($0) } ?? .null,
        ]
    }
}

extension ParameterType<ChangeCursor> {
    fileprivate static var changeCursor: Self {
        Self(schema: ChangeCursor.schema.adding("x-from", "end_cursor")) { value, path, problems in
            guard let text = value.text else {
                problems.append(Problem(ValueError.wrongType(expected: .string), at: path))
                return nil
            }
            guard let cursor = ChangeCursor(text) else {
                problems.append(FeedProblem.notACursor.problem(at: path))
                return nil
            }
            return cursor
        }
    }
}

extension ParameterType<Int> {
    /// A whole number of this range.
    fileprivate static func count(_ range: ClosedRange<Int>) -> Self {
        let type = FieldType.smallint(range)
        return Self(schema: type.givenSchema) { (value) throws(ValueError) in
            Int(try type.postgresText(of: value)) ?? range.lowerBound
        }
    }
}

extension ResultType {
    /// Some changes of the feed.
    ///
    /// - Parameter tables: the names of those that the feed has.
    fileprivate static func changes(_ tables: [String]) -> Self {
        Self(
            "changements",
            schema: JSONSchema.object(
                [
                    .init("items", JSONSchema.array(of: JSONSchema.reference(FeedChange.schemaName))),
                    .init("end_cursor", ["type": "string"]),
                    .init("has_next_page", ["type": "boolean"]),
                ], required: ["items", "end_cursor", "has_next_page"]),
            example: [
                "items": [["table": .string(tables.first ?? "t"), "id": 12, "op": "update", "version": 3]],
                "end_cursor": "1.7423.1881", "has_next_page": false,
            ],
            components: [.init(FeedChange.schemaName, FeedChange.schema(tables))])
    }
}

/// One change in the description of the service: of `changes.list`, and the data of the feed's events.
extension FeedChange {
    static let schemaName = "feed_change"

    fileprivate static func schema(_ tables: [String]) -> JSONValue {
        JSONSchema.object(
            [
                .init("table", tables.isEmpty ? ["type": "string"] : JSONSchema.words(tables)),
                .init("id", Column.identifierSchema), .init("op", JSONSchema.words(["create", "update", "delete"])),
                .init(
                    "version",
                    JSONSchema.nullable(["type": "integer", "minimum": 1])
                        .adding("description", "Nulle pour une table sans versions.")),
            ], required: ["table", "id", "op", "version"]
        ).adding("description", "Un changement validé.")
    }
}
