/// Views: an SQL function computes the records of such an entity for the parameters of a call.
///
/// ```swift
/// // CREATE FUNCTION bookshop.sales("from" date, "to" date DEFAULT CURRENT_DATE)
/// //     RETURNS TABLE (id bigint, book_id bigint, copies bigint) LANGUAGE sql STABLE BEGIN ATOMIC SELECT …; END;
/// static let sales = Entity(
///     name: "sales",
///     source: .function(
///         "sales",
///         [
///             Column("from", .date, nullable: false, label: "Premier jour"),
///             Column("to", .date, label: "Dernier jour", summary: "Dernier jour\u{202F}; aujourd’hui s’il manque."),
///         ]),
///     noun: Noun("vente", plural: "ventes", feminine: true),
///     columns: [
///         .id, Column("book_id", .bigint, nullable: false, label: "Livre"),
///         Column("copies", .bigint, nullable: false, label: "Exemplaires vendus"),
///     ],
///     relations: [Relation("book", to: "books", .toOne(column: "book_id"), label: "Livre")],
///     search: nil,
///     defaultOrder: [OrderTerm("copies", descending: true)],
///     rules: [toNotBeforeFrom],
///     access: Access(read: [.user, .admin], create: [], update: [], delete: []))
/// ```
///
/// A view has the methods `X.list` and `X.aggregate`, which take its parameters beside their own. They pass to the function
/// those parameters that the call gives, by name, so that the function's own defaults hold for the others. A parameter
/// that is not required (``Column/isRequired``) has a default in the function.
///
/// The function is `STABLE`, and returns a column `id` that is unique among the rows and the same for the same parameters,
/// because cursors rely on it. A function `LANGUAGE sql` with a body `BEGIN ATOMIC`, without `STRICT`,
/// `SECURITY DEFINER` and `SET`, is put in the place of its call by Postgres: filters reach the indexes of its tables, and
/// it runs with the caller's rights. In a role with a subject it computes from own rows, which the policies select; a view
/// of rows with owners has the owner's column, so that its access can say `.own`, too.
///
/// A rule that needs what only Postgres knows is refused by the function: `kernel.refuse` with the name of one of the view's
/// rules and, as path, the parameter that is wrong.
///
/// `CURRENT_DATE` is the date in UTC. The setting `learntrack.time_zone` has the zone that the installation chose.
extension Entity {
    /// Whether the records are computed for the parameters of a call. A view is read only, has no history, and no relation
    /// leads to it. Its own relations are to-one, over its columns.
    public var isView: Bool { source != .table }

    /// The parameters of a view; none for a table.
    public var parameters: [Column] {
        if case .function(_, let parameters) = source { parameters } else { [] }
    }

    /// The name in Postgres of what the records are read from: a table or a function.
    public var sourceName: String {
        if case .function(let function, _) = source { function } else { name }
    }
}

/// A view that cannot be served.
public enum ViewError: Error, Sendable, Equatable {
    /// A role may write, or the entity is duplicable.
    case writable
    /// There is no column `id`.
    case noID
    /// The relation of this name is not to-one.
    case toManyRelation(String)
    /// The parameter of this name has the name of another parameter of the methods.
    case takenParameter(String)
    /// The relation of this name, of this entity, leads to the view.
    case relationToView(String, entity: String)
    /// The method of this name loads a record of the view.
    case loaded(method: String)
}

extension Domain {
    /// The reason why `view` cannot be served; nil if it can.
    ///
    /// - Parameter domains: all domains that are served.
    public static func viewError(of view: Entity, in domains: [Domain]) -> ViewError? {
        let writes = Operation.allCases.filter { $0 != .read }
        if view.isDuplicable || writes.contains(where: { !view.access.roles(for: $0).isEmpty }) { return .writable }
        if view.column(named: "id") == nil { return .noID }
        for relation in view.relations {
            guard case .toOne = relation.kind else { return .toManyRelation(relation.name) }
        }
        for domain in domains {
            for entity in domain.entities {
                if let relation = entity.relations.first(where: { $0.target == view.name }) {
                    return .relationToView(relation.name, entity: entity.name)
                }
            }
            if let method = domain.methods.first(where: { $0.entity == view.name }) {
                return .loaded(method: method.name)
            }
        }
        return nil
    }
}
