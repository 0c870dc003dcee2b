import DomainKit
import JSON
import NIOCore
import QueryCompiler
import Synchronization

/// What `rpc.domains` answers: the served domains as a caller may use them, for programs that make lists, pages and forms of them
/// without knowing any.
final class DeclaredDomains: Sendable {
    private let domains: [Domain]
    private let roles: [ServedRole]
    private let methods: [Method]
    /// By the roles that a caller holds. Accounts hold few combinations of them.
    private let written = Mutex<[[Int]: ByteBuffer]>([:])

    /// - Parameters:
    ///   - methods: those of the entities and commands of `domains`.
    ///   - roles: every served role.
    init(_ domains: [Domain], _ methods: [Method], _ roles: [ServedRole]) {
        self.domains = domains
        self.methods = methods
        self.roles = roles
    }

    /// The answer for this caller, as JSON text.
    func text(for caller: Caller) -> ByteBuffer {
        let held = roles.filter { caller.actingRole(among: [$0]) != nil }.map(\.index)
        if let known = written.withLock({ $0[held] }) { return known }
        let text = ByteBuffer(bytes: [UInt8](json: declaration(forRoles: Set(held))))
        written.withLock { written in
            if written.count < Self.maxKept { written[held] = text }
        }
        return text
    }

    private static let maxKept = 64

    private func declaration(forRoles held: Set<Int>) -> JSONValue {
        let allowed = Set(methods.lazy.filter { $0.isOpen(toRoles: held) }.map(\.name))
        let readable = Set(domains.lazy.flatMap(\.entities).map(\.name).filter { allowed.contains("\($0).list") })
        let declared: [JSONValue] = domains.compactMap { domain in
            let entities = domain.entities.compactMap { entity in
                declaration(of: entity, allowed: allowed, readable: readable, held)
            }
            let commands = domain.commands.filter { allowed.contains($0.name) }.map(\.declaration)
            guard !entities.isEmpty || !commands.isEmpty else { return nil }
            return [
                "name": .string(domain.name), "label": .string(domain.label ?? domain.name),
                "entities": .array(entities), "commands": .array(commands),
            ]
        }
        return ["domains": .array(declared), "roles": .array(domains.roles.map(\.declaration))]
    }

    /// Nil if the caller may call no method of the entity.
    private func declaration(
        of entity: Entity, allowed: Set<String>, readable: Set<String>, _ held: Set<Int>
    ) -> JSONValue? {
        let offered = Self.operations.filter { allowed.contains("\(entity.name).\($0)") }
        guard !offered.isEmpty else { return nil }
        let targets = entity.targets
        let filled = filledColumn(of: entity, held)
        let columns = entity.columns.map { column in
            column.declaration(referringTo: targets[column.name], isFilled: column.name == filled)
        }
        let derived = entity.derived.filter { field in entity.target(of: field).map(readable.contains) ?? true }
        return .object(
            JSONObject([
                .init("name", .string(entity.name)), .init("singular", .string(entity.noun.singular)),
                .init("plural", .string(entity.noun.plural)), .init("feminine", .bool(entity.noun.isFeminine)),
                .init("title", .array(domains.titlePaths(of: entity, readable: readable).map { .string($0) })),
                .init("columns", .array(columns)),
                .init("derived", .array(derived.map { $0.declaration(about: entity.target(of: $0)) })),
                .init(
                    "relations",
                    .array(entity.relations.filter { readable.contains($0.target) }.map(\.declaration))),
                .init("order", .array(entity.defaultOrder.map { .string($0.text) })),
                .init("methods", .array(offered.map { .string($0) })),
            ])
        )
        .adding("view", entity.isView ? .bool(true) : nil)
        .adding("single", entity.isSingle ? .bool(true) : nil)
        .adding("journal", entity.isInJournal ? .bool(true) : nil)
        .adding("search", entity.search == nil ? nil : .bool(true))
        .adding(
            "parameters",
            entity.isView ? .array(entity.parameters.map { $0.declaration(referringTo: $0.target) }) : nil)
    }

    /// The column that the server fills in a new record of a caller who creates only their own; nil if there is none.
    private func filledColumn(of entity: Entity, _ held: Set<Int>) -> String? {
        guard let method = methods.first(where: { $0.name == "\(entity.name).create" }),
            case .roles(let roles) = method.rights, let acting = roles.first(where: { held.contains($0.index) }),
            case .own(let column)? = entity.access.reach(of: acting.role, for: .create)
        else { return nil }
        return column
    }

    /// The second halves of the names of the methods that every entity may have.
    private static let operations = [
        "list", "get", "aggregate", "create", "update", "delete", "duplicate", "history",
    ]
}

extension Role {
    fileprivate var declaration: JSONValue {
        let declared: JSONValue = ["name": .string(name), "label": .string(label ?? name)]
        return declared.adding("subject", subject.map { .string($0) })
    }
}

extension Method {
    /// `rpc.domains`: what the caller may see and do.
    static func declarations(of domains: DeclaredDomains) -> Method {
        Method(
            name: "rpc.domains",
            summary:
                "Ce que le compte peut voir et faire\u{202F}: les domaines avec leurs fiches, leurs champs et leurs commandes.",
            rights: .signedIn, parameters: [], result: .declaredDomains, errors: [.limitExceeded]
        ) { (_, call) throws(CallError) in
            guard let caller = call.caller else { throw .authorisation(AuthorisationError()) }
            return .work(cost: .description) { _ throws(ExecutionError) in .text(domains.text(for: caller)) }
        }
    }

    fileprivate func isOpen(toRoles held: Set<Int>) -> Bool {
        guard case .roles(let roles) = rights else { return true }
        return roles.contains { held.contains($0.index) }
    }
}

extension Entity {
    /// The entity that a figure is about; nil for another derived field.
    fileprivate func target(of field: DerivedField) -> String? {
        field.figure.flatMap { relation(named: $0.relation)?.target }
    }

    /// The entities that columns refer to, by the columns' names.
    fileprivate var targets: [String: String] {
        var targets: [String: String] = [:]
        for relation in relations {
            if case .toOne(let column) = relation.kind { targets[column] = relation.target }
        }
        return targets
    }
}

extension OrderTerm {
    fileprivate var text: String { (isDescending ? "-" : "") + path }
}
