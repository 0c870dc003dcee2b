import AccountsDomain
import CRMDomain
import DomainKit
import JSON
import TestSupport

/// One field of a table, with what filters and orders need to know of it.
struct FieldSpec: Sendable {
    let name: String
    let type: FieldType
    let isDerived: Bool
}

extension Entity {
    var specs: [FieldSpec] {
        columns.filter { $0.access != .writeOnly }.map { FieldSpec(name: $0.name, type: $0.type, isDerived: false) }
            + derived.map { FieldSpec(name: $0.name, type: $0.type, isDerived: true) }
    }

    static func named(_ name: String) throws -> Entity {
        let entities = CRM.domain.entities + Accounts.domain.entities
        guard let entity = entities.first(where: { $0.name == name }) else {
            throw TestEnvironmentError("no table \(name)")
        }
        return entity
    }
}

extension Relation {
    /// The foreign key of a to-one relation.
    var toOneColumn: String? { if case .toOne(let column) = kind { column } else { nil } }
    /// The foreign key in the target of a to-many relation.
    var toManyColumn: String? { if case .toMany(let column) = kind { column } else { nil } }
}
