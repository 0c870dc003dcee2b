package import DomainKit
package import JSON
import QueryCompiler

/// A parameter that the query compiler reads and checks. Its declaration is for the description of the service and the
/// check of names.
package struct QueryParameter: DeclaredParameter {
    package let name: String
    let kind: Kind
    package let isRequired: Bool
    package let summary: String
    /// The members that an object of values accepts besides columns.
    private(set) var furtherMembers: [any DeclaredParameter] = []

    enum Kind: Sendable {
        /// The primary key of a record of this entity.
        case identifier(Entity)
        /// A filter on records of this entity.
        case filter(Entity)
        /// Words to search for.
        case search
        /// Whether words that resemble those of the search will do.
        case near
        /// A list of order terms such as `-date`.
        case order(Entity)
        /// The maximal number of records.
        case first
        /// The `end_cursor` of the previous page.
        case cursor
        /// Whether to count all records.
        case count
        /// A selection of fields of this entity.
        case selection(Entity)
        /// A list of keys that records of this entity are grouped by.
        case groups(Entity)
        /// A selection of aggregates over groups of records of this entity.
        case aggregates(Entity)
        /// A list of order terms such as `-count`, over groups of records of this entity.
        case groupOrder(Entity)
        /// The values of the selection's variables.
        case variables
        /// Values of columns of this entity.
        case values(Entity, WriteKind)
        /// The version that the record must have.
        case version
    }

    init(_ name: String, _ kind: Kind, required: Bool = false, summary: String) {
        self.name = name
        self.kind = kind
        isRequired = required
        self.summary = summary
    }

    /// This parameter with further members, if it is an object of values.
    func taking(_ members: [any DeclaredParameter]) -> QueryParameter {
        guard case .values = kind else { return self }
        var extended = self
        extended.furtherMembers += members
        return extended
    }

    package func decode(from object: JSONObject, at path: String, _ problems: inout [Problem]) -> DecodedParameter {
        // The only param of which the query compiler does not report that it is missing.
        guard case .aggregates = kind, object[name]?.isNull ?? true else { return .raw }
        return MethodParameter(name, .text, summary: summary).decode(from: object, at: path, &problems)
    }

    package func withoutSecrets(_ params: JSONObject) -> JSONObject {
        guard !furtherMembers.isEmpty else { return params }
        return JSONObject(
            params.members.map { member in
                guard member.name == name, case .object(let object) = member.value else { return member }
                let rest = furtherMembers.reduce(object) { $1.withoutSecrets($0) }
                return JSONObject.Member(name, .object(rest))
            })
    }

    // MARK: Description

    package var entity: Entity? {
        switch kind {
        case .selection(let entity), .aggregates(let entity), .identifier(let entity): entity
        default: nil
        }
    }

    /// Whether the parameter selects what the result shows.
    var isSelection: Bool {
        switch kind {
        case .selection, .aggregates: true
        default: false
        }
    }

    package var errors: Set<ErrorKind> {
        switch kind {
        case .identifier: [.notFound]
        case .selection, .filter: [.limitExceeded]
        case .values: [.conflict, .outcomeUnknown]
        default: []
        }
    }
}

extension QueryParameter {
    /// The parameters of every method that returns records of `entity`.
    package static func selection(of entity: Entity) -> [QueryParameter] {
        [
            QueryParameter("select", .selection(entity), summary: "Les champs voulus, relations comprises."),
            QueryParameter("variables", .variables, summary: "Les valeurs des variables de select."),
        ]
    }
}
