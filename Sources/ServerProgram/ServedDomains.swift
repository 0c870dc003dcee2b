import AccountsDomain
package import DomainKit
import Migrations

/// The domains of an installation: those that its program knows and its settings choose, and the kernel's own.
package struct ServedDomains: Sendable {
    /// Those of the kernel's own that are always served: its migrations have their tables.
    static func kernel(granting roles: [Role]) -> [Domain] {
        [Accounts.domain(granting: roles), Journal.domain]
    }

    /// The Postgres collation by which texts sort. The kernel's migrations create it, and the indexes for orders use it.
    static let sortCollation = "francais"

    /// The domains that the installation has chosen, in the order of the program.
    private let chosen: [Domain]

    /// Everything that is served, in the order in which the description has its entities.
    package let all: [Domain]

    /// Whether people without an account sign documents of these domains.
    var haveSignatures: Bool { all.contains { !$0.signatures.isEmpty } }

    /// The roles of these domains beside the base roles, each with the qualified name of the table of its subjects, or nil.
    let additionalRoles: [(name: String, subject: String?)]

    /// - Parameters:
    ///   - names: the names of domains, in any order.
    ///   - known: the domains of the program.
    init(_ names: [String], of known: [Domain]) throws {
        for name in names where !known.contains(where: { $0.name == name }) {
            throw CommandError(
                "--domains: there is no domain '\(name)'; there are: \(known.map(\.name).joined(separator: ", "))")
        }
        chosen = known.filter { names.contains($0.name) }
        for domain in chosen {
            guard let missing = domain.requires.first(where: { !names.contains($0) }) else { continue }
            throw CommandError("--domains: \(domain.name) requires \(missing), which is not in the list")
        }
        additionalRoles = chosen.additionalRoles
        if let duplicate = Dictionary(grouping: chosen.flatMap(\.jobs), by: \.name).first(where: { $0.value.count > 1 })
        {
            throw CommandError("two jobs have the name '\(duplicate.key)'")
        }
        let signing = chosen.contains { !$0.signatures.isEmpty } ? [Signing.domain] : []
        let jobs = ScheduledJobs.domain(of: chosen.flatMap(\.jobs))
        all = chosen + Self.kernel(granting: chosen.ownRoles) + [Outgoing.domain] + [jobs].compactMap(\.self) + signing
        if let duplicate = all.duplicateEntity {
            throw CommandError(
                "the domains \(duplicate.domains.joined(separator: " and ")) both have '\(duplicate.entity)'")
        }
    }

    /// The paths of the screens that every domain has: a page of the domain, and the list, the pages and the forms of each entity. Where
    /// a person has several companies, each begins with that of the company.
    var pagePaths: [String] {
        let paths = all.flatMap { domain in
            ["/\(domain.name)"]
                + domain.entities.flatMap { entity in
                    let list = "/\(domain.name)/\(entity.name)"
                    return entity.isView ? [list] : [list, "\(list)/nouveau", "\(list)/{id}", "\(list)/{id}/modifier"]
                }
        }
        return paths + paths.map { "/s/{company}" + $0 }
    }

    /// The folders of the migrations of the kernel and the chosen domains.
    ///
    /// - Parameter folder: the folder that has one for each.
    func migrations(in folder: String) -> [MigrationSource] {
        [MigrationSource(domain: MigrationSource.kernel, folder: folder + "/" + MigrationSource.kernel)]
            + chosen.map {
                MigrationSource(domain: $0.name, folder: folder + "/" + $0.name, requires: $0.requires)
            }
    }
}

extension [Domain] {
    /// The roles beside the base roles.
    fileprivate var ownRoles: [Role] { roles.filter { !Role.base.contains($0) } }

    fileprivate var additionalRoles: [(name: String, subject: String?)] {
        ownRoles.map { ($0.name, $0.subject.map(table)) }
    }

    /// The qualified name of an entity's table.
    private func table(of entity: String) -> String {
        first { $0.entity(named: entity) != nil }.map { "\($0.schema).\(entity)" } ?? entity
    }
}
