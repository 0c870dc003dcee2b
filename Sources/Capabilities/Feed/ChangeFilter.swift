import DomainKit
import JSON
import RPCServer

/// Which changes one caller receives in a company: those of its records in tables that the caller may read and asks for. Listeners with equal filters
/// share the bytes of their events.
package struct ChangeFilter: Sendable, Hashable {
    enum Reach: Sendable, Hashable {
        case every
        /// Records with the caller's subject in the column of this name.
        case own(String, subject: Int64)
    }

    let company: Company
    private(set) var tables: [String: Reach]

    /// The operation that the caller sees; nil if the caller may not see the change. For the subject that a record
    /// belonged to before an update, the record is deleted.
    func operation(of change: RecordChange) -> RecordChange.Operation? {
        if let owner = change.company, owner != company { return nil }
        switch tables[change.table] {
        case nil: return nil
        case .every: return change.operation
        case .own(let column, let subject):
            let subject = JSONValue.number(String(subject))
            guard let owners = change.owners[column], let place = owners.firstIndex(of: subject) else { return nil }
            return place == 0 ? change.operation : .delete
        }
    }
}

/// The tables of the change feed.
struct FeedTables: Sendable {
    private struct Table: Sendable {
        let entity: Entity
        /// The roles of its domain that may read it, in their order.
        let readers: [ServedRole]
    }

    private let tables: [Table]

    init(_ domains: [Domain], _ roles: [ServedRole]) {
        tables = domains.flatMap { domain in
            domain.entities.filter(\.isInFeed).map { entity in
                Table(
                    entity: entity,
                    readers: roles.roles(of: domain).filter { entity.access.allows(.read, to: $0.role) })
            }
        }
    }

    var names: [String] { tables.map(\.entity.name) }

    /// The changes that `caller` may read in the company, in the role in which it would read the table.
    private func readable(by caller: Caller, in company: Company) -> ChangeFilter {
        var reaches: [String: ChangeFilter.Reach] = [:]
        for table in tables {
            guard let acting = caller.actingRole(among: table.readers) else { continue }
            switch table.entity.access.reach(of: acting.served.role, for: .read) {
            case .every: reaches[table.entity.name] = .every
            case .own(let column):
                // Without a subject it reads no rows.
                guard let subject = acting.subject else { continue }
                reaches[table.entity.name] = .own(column, subject: subject)
            case nil: continue
            }
        }
        return ChangeFilter(company: company, tables: reaches)
    }

    /// The changes of certain tables.
    /// - Parameter names: nil for all tables that the caller may read.
    /// - Throws: the names that are not among those tables.
    func filter(
        for caller: Caller, in company: Company, tables names: [String]?, at path: String
    ) throws(CallError) -> ChangeFilter {
        let readable = readable(by: caller, in: company)
        guard let names else { return readable }
        let known = self.names.filter { readable.tables[$0] != nil }
        let problems = names.enumerated().filter { readable.tables[$0.element] == nil }.map { index, name in
            FeedProblem.notInFeed(name, known: known, suggestion: known.nearest(to: name))
                .problem(at: path.appendingPointer(String(index)))
        }
        guard problems.isEmpty else { throw .params(problems) }
        return ChangeFilter(company: company, tables: readable.tables.filter { names.contains($0.key) })
    }
}
