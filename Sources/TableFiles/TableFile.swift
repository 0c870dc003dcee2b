package import DomainKit

/// The table of an entity, whose records are exported to files and imported from them.
package struct TableFile: Sendable {
    package let entity: Entity
    let schema: String

    /// - Parameters:
    ///   - name: of the entity.
    ///   - domains: those that are served.
    package init(named name: String, in domains: [Domain]) throws(TableFileError) {
        guard let domain = domains.first(where: { $0.entity(named: name) != nil }),
            let entity = domain.entity(named: name), !entity.isView
        else {
            let tables = domains.flatMap(\.entities).filter { !$0.isView }.map(\.name)
            let proposal = tables.nearest(to: name).map { "do you mean '\($0)'? There are: " } ?? "there are: "
            throw TableFileError("there is no table '\(name)'; \(proposal)\(tables.joined(separator: ", "))")
        }
        self.entity = entity
        schema = domain.schema
    }

    /// The table's name in SQL.
    package var sql: String { "\(Self.quoted(schema)).\(Self.quoted(entity.name))" }

    static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }
}
