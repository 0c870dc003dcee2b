import AccountsDomain
import DomainKit
import JSON
import Testing

/// A program with the domains that it serves: what the generated suites run against.
///
/// A further domain is a line in ``all``, with a fixture of its own.
struct SystemUnderTest: Sendable, CustomTestStringConvertible {
    let program: TestProgram
    let fixtures: [DomainFixture]
    /// The domains of the fixtures and the kernel's own.
    let domains: [Domain]

    static let learnTrack = SystemUnderTest(.learntrack, [.crm])
    static let all = [
        learnTrack, SystemUnderTest(.learntrack(serving: ["counting"]), [.counting]),
        SystemUnderTest(.probe(["crm", "probe"]), [.crm, .probe]),
    ]

    init(_ program: TestProgram, _ fixtures: [DomainFixture]) {
        self.program = program
        self.fixtures = fixtures
        let chosen = fixtures.map(\.domain)
        let granted = chosen.roles.filter { !Role.base.contains($0) }
        domains =
            chosen + [Accounts.domain(granting: granted), Journal.domain]
            + [Outgoing.domain] + [ScheduledJobs.domain(of: chosen.flatMap(\.jobs))].compactMap(\.self)
            + (chosen.contains { !$0.signatures.isEmpty } ? [Signing.domain] : [])
    }

    var testDescription: String { fixtures.map(\.domain.name).joined(separator: ", ") }

    /// The domain that the costly suites examine: the last one. Those before it are examined in systems of their own.
    var examined: Domain { chosen[chosen.count - 1] }

    /// Whether the costly suites examine a method: it is one of ``examined``. Those of the kernel are examined in the first
    /// system.
    func examines(method: String) -> Bool {
        let group = method.prefix { $0 != "." }
        return chosen.count == 1 || examined.entities.contains { $0.name == group }
            || examined.commands.contains { $0.name == method } || examined.methods.contains { $0.entity == group }
            || examined.subscriptions.contains { $0.name == group }
    }

    /// The domains without the kernel's own.
    var chosen: [Domain] { fixtures.map(\.domain) }

    /// The roles in which calls are made, those of the kernel included.
    var roles: [Role] { domains.roles }

    /// The tables of the domains, with their schemas.
    var tables: [(entity: Entity, schema: String, domain: Domain)] {
        chosen.flatMap { domain in
            domain.entities.filter { !$0.isView }.map { ($0, domain.schema, domain) }
        }
    }

    var examinedTables: [(entity: Entity, schema: String, domain: Domain)] {
        tables.filter { $0.domain.name == examined.name }
    }

    /// The params of a list that succeeds.
    func exampleOfList(of entity: Entity) throws -> JSONValue {
        entity.parameters.contains(where: \.isRequired) ? try example(of: "\(entity.name).list") : [:]
    }

    /// The params of a call that succeeds, for each command and each view's list.
    func example(of method: String) throws -> JSONValue {
        try #require(
            fixtures.lazy.compactMap { $0.calls[method] }.first, "the fixtures have no call of \(method)")
    }
}

/// Rows of a domain, and calls that succeed on them.
struct DomainFixture: Sendable {
    let domain: Domain
    /// Inserts rows in every table, with ids that are unique over all tables and below 10,000. The first three of a table
    /// outlive `calls`. Of a table with records of subjects, it has some of the first subject and some of the second.
    let rows: String
    /// Params by method: of every command, and of `X.list` for each view. A call of one leaves those of the others
    /// possible. Where a role reaches its own records only, they name those of the first subject.
    let calls: [String: JSONValue]
}
