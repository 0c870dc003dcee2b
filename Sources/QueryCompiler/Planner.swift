package import DomainKit
import JSON

/// Plans calls: turns the params of a method into SQL with parameters, and a layout to write the result with.
///
/// The stages are folders of this module:
///
/// 1. `Syntax` parses the text of `select`.
/// 2. `Resolve` looks up names and checks values, which become parameters. The result is a shape.
/// 3. `Shape` holds the shapes: what a call asks for, without its values.
/// 4. `SQL` writes the statement for a shape; `Keyset` writes the part that continues after a cursor.
/// 5. `Plan` holds the results.
///
/// A statement is compiled once for each shape and cached, as are the resolved selections. Calls that differ only in
/// values share one ``SQLStatement``.
///
/// Methods throw a ``PlanError`` with all problems of the params, or with the limit that they exceed. A planner can be
/// used from any thread.
package final class Planner: Sendable {
    /// Longer `select` texts, in bytes, are not cached.
    private static let maxCachedText = 16 * 1_024
    /// Longer statements, in bytes, are not cached.
    private static let maxCachedStatement = 64 * 1_024

    let schema: Schema
    package let limits: CallLimits
    private let selections: ClockCache<SelectionKey, PreparedSelection>
    /// Parsed texts with variables. Their resolution depends on the variables' values, so only parsing is saved.
    private let documents: ClockCache<ExactText, SelectionDocument>
    private let records: ClockCache<RecordKey, CompiledRecord>
    private let pages: ClockCache<PageShape, CompiledPage>
    private let aggregates: ClockCache<AggregateShape, CompiledAggregate>
    private let writes: ClockCache<WriteShape, SQLStatement>

    /// - Parameters:
    ///   - role: the role of the calls that it plans. The role limits the entities and the rows; nil for no limits.
    ///   - sortCollation: the name of the Postgres collation by which text fields sort; nil for the database's default.
    ///   - cacheSize: the maximum number of cached shapes of each kind.
    package init(
        domains: [Domain], for role: Role? = nil, sortCollation: String? = nil, limits: CallLimits = .init(),
        cacheSize: Int = 256
    ) {
        schema = Schema(domains, for: role, sortCollation: sortCollation)
        self.limits = limits
        selections = ClockCache(capacity: cacheSize)
        documents = ClockCache(capacity: cacheSize)
        records = ClockCache(capacity: cacheSize)
        pages = ClockCache(capacity: cacheSize)
        aggregates = ClockCache(capacity: cacheSize)
        writes = ClockCache(capacity: cacheSize)
    }

    private struct SelectionKey: Hashable, Sendable {
        let table: Table
        /// Nil without `select`.
        let text: ExactText?
    }

    private struct RecordKey: Hashable, Sendable {
        let shape: SelectionShape
        let key: CompiledRecord.Key
        let slot: Int
    }

    // MARK: Calls

    /// Starts the resolution of a call with its `variables`. The server has checked which params the method has.
    func resolution(_ params: JSONObject = JSONObject()) -> Resolution {
        switch params["variables"] {
        case nil, .null?: return Resolution(schema: schema, limits: limits)
        case .object(let variables)?: return Resolution(schema: schema, limits: limits, variables: variables)
        case .some:
            var resolution = Resolution(schema: schema, limits: limits)
            resolution.diagnostics.add(.expectedVariablesObject, at: .pointer("/variables"))
            return resolution
        }
    }

    /// The table of an entity; throws when the entity is in none of the planner's domains.
    func table(of entity: Entity) throws(PlanError) -> Table {
        if let table = schema.table(named: entity.name) { return table }
        let problem = QueryProblem.unknownTable(entity.name)
        throw .problems([Problem(path: "", code: problem.code, message: problem.message)])
    }

    // MARK: Selections

    /// The selection of `select` and `variables`. Nil, with problems added, when it is invalid.
    func selection(
        _ select: JSONValue?, on table: Table, in resolution: inout Resolution
    ) -> PreparedSelection? {
        let text: String?
        switch select {
        case nil, .null?: text = nil
        case .string(let given)?: text = given
        default:
            resolution.diagnostics.add(.expectedSelectionText, at: .pointer("/select"))
            return nil
        }
        let key = SelectionKey(table: table, text: text.map(ExactText.init))
        if let prepared = selections[key] {
            resolution.adopt(prepared)
            resolution.checkVariables()
            return prepared
        }
        guard let text else {
            resolution.checkVariables()
            return selections.insert(PreparedSelection(allColumnsOf: table), for: key)
        }
        return compile(text, for: key, in: &resolution)
    }

    /// Parses and resolves a text that is not in the cache.
    private func compile(
        _ text: String, for key: SelectionKey, in resolution: inout Resolution
    ) -> PreparedSelection? {
        let exact = ExactText(text)
        let cached = resolution.hasVariables ? documents[exact] : nil
        let document: SelectionDocument
        do throws(SelectionError) {
            if let cached { document = cached } else { document = try SelectionParser.parse(text) }
        } catch {
            resolution.diagnostics.add(error, limits: limits)
            return nil
        }
        let problemsBefore = resolution.diagnostics.count
        let resolved = SelectionResolver.resolve(document, on: key.table, in: &resolution)
        let isValid = resolution.diagnostics.count == problemsBefore
        // What is below an unknown name is not resolved. Its variables count as used, so that they are not reported.
        if !isValid { resolution.usedVariables.formUnion(document.variables) }
        resolution.checkVariables()
        guard resolution.diagnostics.count == problemsBefore else { return nil }
        let prepared = PreparedSelection(resolved, by: resolution)
        guard text.utf8.count <= Self.maxCachedText else { return prepared }
        guard resolution.usedVariables.isEmpty else {
            if cached == nil { _ = documents.insert(document, for: exact) }
            return prepared
        }
        return selections.insert(prepared, for: key)
    }

    // MARK: Statements

    // `parameters` is the number of the values that a call of the shape has. All calls of one shape have as many.

    func record(_ selection: PreparedSelection, by key: CompiledRecord.Key) -> CompiledRecord {
        if let known = selection.records[key] { return known }
        let slot = selection.parameters.count
        let shape = RecordKey(shape: selection.shape, key: key, slot: slot)
        if let known = records[shape] { return selection.records.insert(known, for: key) }
        var compiled = CompiledRecord(selection.shape, key: key, slot: slot, schema: schema)
        if compiled.statement.text.utf8.count <= Self.maxCachedStatement {
            compiled = records.insert(compiled, for: shape)
        }
        return selection.records.insert(compiled, for: key)
    }

    func page(_ shape: PageShape, parameters: Int) -> CompiledPage {
        if let known = pages[shape] { return known }
        let compiled = CompiledPage(shape, parameters: parameters, schema: schema)
        guard compiled.statement.text.utf8.count <= Self.maxCachedStatement else { return compiled }
        return pages.insert(compiled, for: shape)
    }

    func aggregate(_ shape: AggregateShape, parameters: Int) -> CompiledAggregate {
        if let known = aggregates[shape] { return known }
        let compiled = CompiledAggregate(shape, parameters: parameters, schema: schema)
        guard compiled.statement.text.utf8.count <= Self.maxCachedStatement else { return compiled }
        return aggregates.insert(compiled, for: shape)
    }

    func statement(_ shape: WriteShape, parameters: Int) -> SQLStatement {
        writes[shape] ?? writes.insert(SQLStatement(shape.sql(schema), parameters: parameters), for: shape)
    }
}

/// A resolved selection with what is needed to use it in another call: the parameters of its own literals, and the
/// counts of its own filters.
final class PreparedSelection: Sendable {
    let shape: SelectionShape
    let cost: QueryCost
    let parameters: [String?]
    let parameterBytes: Int
    let counts: Resolution.Counts
    /// The cost of what is selected of one record.
    let expectedCost: ExpectedCost
    /// The statements for this selection, so that a cached text needs only one look-up.
    let records = ClockCache<CompiledRecord.Key, CompiledRecord>(capacity: 4)

    init(_ resolved: ResolvedSelection, by resolution: Resolution) {
        shape = resolved.shape
        cost = resolved.cost
        parameters = resolution.parameters
        parameterBytes = resolution.parameterBytes
        counts = resolution.counts
        expectedCost = shape.expectedCost
    }

    /// The selection of a call without `select`.
    init(allColumnsOf table: Table) {
        shape = SelectionShape(
            table: table, fields: table.fields.filter(\.isColumn).map { .field(key: $0.name, $0) })
        var cost = QueryCost()
        cost.add(fieldsOf: shape, rows: 1, path: [])
        self.cost = cost
        parameters = []
        parameterBytes = 0
        counts = Resolution.Counts()
        expectedCost = .point
    }
}
