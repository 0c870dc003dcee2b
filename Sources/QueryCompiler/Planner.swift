package import DomainKit

/// From a call's params to the SQL that answers it: names looked up, values checked, statements compiled once per
/// shape. Methods that take params refuse them with everything that is wrong with them at once.
package final class Planner: Sendable {
    /// Selection texts longer than this many bytes are read anew at every call.
    private static let cachedText = 16 * 1_024
    /// Statements longer than this many bytes are not kept.
    private static let cachedStatement = 64 * 1_024

    let schema: Schema
    let limits: Limits
    private let selections: ClockCache<SelectionKey, PreparedSelection>
    /// Of texts with variables: these are resolved anew at every call, but read once.
    private let documents: ClockCache<ExactText, SelectionDocument>
    private let records: ClockCache<RecordKey, CompiledRecord>
    private let pages: ClockCache<PageShape, CompiledPage>
    private let aggregates: ClockCache<AggregateShape, CompiledAggregate>
    private let writes: ClockCache<WriteShape, SQLStatement>

    /// - Parameter cacheSize: how many shapes of each kind are kept.
    package init(domains: [Domain], limits: Limits = .init(), cacheSize: Int = 256) {
        schema = Schema(domains)
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
        /// Nil: no `select`.
        let text: ExactText?
    }

    private struct RecordKey: Hashable, Sendable {
        let shape: SelectionShape
        let key: CompiledRecord.Key
        let slot: Int
    }

    // MARK: Caches

    /// The selection that `select` and `variables` make; nil, the problems noted, when they make none.
    func selection(
        _ select: Value?, on table: Table, in resolution: inout Resolution
    ) -> PreparedSelection? {
        let text: String?
        switch select {
        case nil, .null?: text = nil
        case .string(let given)?: text = given
        default:
            resolution.diagnostics.add(
                .type, at: .pointer("/select"), "Donnez la sélection comme texte, entre guillemets.")
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
        let exact = ExactText(text)
        let known = resolution.hasVariables ? documents[exact] : nil
        let document: SelectionDocument
        do throws(SelectionError) {
            if let known { document = known } else { document = try SelectionParser.parse(text) }
        } catch {
            resolution.diagnostics.add(error, limits: limits)
            return nil
        }
        let before = resolution.diagnostics.count
        let resolved = SelectionResolver.resolve(document, on: table, in: &resolution)
        // What stands below an unknown name has not been looked at, and is used all the same.
        if resolution.diagnostics.count > before { resolution.usedVariables.formUnion(document.variables) }
        resolution.checkVariables()
        guard resolution.diagnostics.count == before else { return nil }
        let prepared = PreparedSelection(resolved, by: resolution)
        guard text.utf8.count <= Self.cachedText else { return prepared }
        guard resolution.usedVariables.isEmpty else {
            if known == nil { _ = documents.insert(document, for: exact) }
            return prepared
        }
        return selections.insert(prepared, for: key)
    }

    func record(_ selection: PreparedSelection, by key: CompiledRecord.Key) -> CompiledRecord {
        if let known = selection.records[key] { return known }
        let slot = selection.parameters.count
        let shape = RecordKey(shape: selection.shape, key: key, slot: slot)
        if let known = records[shape] { return selection.records.insert(known, for: key) }
        var compiled = CompiledRecord(selection.shape, key: key, slot: slot, schema: schema)
        if compiled.statement.text.utf8.count <= Self.cachedStatement {
            compiled = records.insert(compiled, for: shape)
        }
        return selection.records.insert(compiled, for: key)
    }

    func page(_ shape: PageShape) -> CompiledPage {
        if let known = pages[shape] { return known }
        let compiled = CompiledPage(shape, schema: schema)
        guard compiled.statement.text.utf8.count <= Self.cachedStatement else { return compiled }
        return pages.insert(compiled, for: shape)
    }

    func aggregate(_ shape: AggregateShape) -> CompiledAggregate {
        if let known = aggregates[shape] { return known }
        let compiled = CompiledAggregate(shape, schema: schema)
        guard compiled.statement.text.utf8.count <= Self.cachedStatement else { return compiled }
        return aggregates.insert(compiled, for: shape)
    }

    func statement(_ shape: WriteShape) -> SQLStatement {
        writes[shape] ?? writes.insert(SQLStatement(shape.sql(schema)), for: shape)
    }
}

/// A selection with what it takes to use it again: the parameters that its own literals make, and what its conditions
/// count among those of the call.
final class PreparedSelection: Sendable {
    let shape: SelectionShape
    let cost: QueryCost
    let parameters: [String?]
    let counts: Resolution.Counts
    /// The statements made of it, so that a known text costs one look-up.
    let records = ClockCache<CompiledRecord.Key, CompiledRecord>(capacity: 3)

    init(_ resolved: ResolvedSelection, by resolution: Resolution) {
        shape = resolved.shape
        cost = resolved.cost
        parameters = resolution.parameters
        counts = resolution.counts
    }

    /// What a call without `select` gets.
    init(allColumnsOf table: Table) {
        shape = SelectionShape(
            table: table, fields: table.fields.filter(\.isColumn).map { .field(key: $0.name, $0) })
        cost = QueryCost()
        parameters = []
        counts = Resolution.Counts()
    }
}
