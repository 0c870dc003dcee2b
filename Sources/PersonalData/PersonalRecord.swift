package import DomainKit

/// A record that says something about a person.
package struct PersonalRecord: Sendable {
    package let entity: Entity
    let domain: Domain
    package let id: Int64

    /// - Parameters:
    ///   - name: of an entity that declares personal columns.
    ///   - domains: those that are served.
    package init(_ name: String, _ id: Int64, in domains: [Domain]) throws(PersonalDataError) {
        guard let domain = domains.first(where: { $0.entity(named: name) != nil }),
            let entity = domain.entity(named: name), !entity.personal.isEmpty
        else {
            let names = domains.flatMap(\.entities).filter { !$0.personal.isEmpty }.map(\.name)
            throw PersonalDataError("'\(name)' is not about persons; these are: \(names.joined(separator: ", "))")
        }
        self.init(entity, of: domain, id)
    }

    init(_ entity: Entity, of domain: Domain, _ id: Int64) {
        self.entity = entity
        self.domain = domain
        self.id = id
    }

    /// The table's name in SQL.
    var table: String { SQL.table(entity, of: domain) }
}

/// Why personal data cannot be erased or exported, in one line for the person who started the command.
package struct PersonalDataError: Error, CustomStringConvertible, Equatable {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// Names in SQL.
enum SQL {
    static func table(_ entity: Entity, of domain: Domain) -> String {
        "\(quoted(domain.schema)).\(quoted(entity.name))"
    }
    static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }
}
