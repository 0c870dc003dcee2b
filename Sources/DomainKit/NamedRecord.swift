public import JSON

/// A record that a call of a command names in its parameters, by its `id`.
public struct NamedRecord: Sendable, Hashable {
    /// The `id`, in decimal digits.
    public let id: String
    /// The name of the record's entity: the ``Column/target`` of the parameter.
    public let entity: String
    /// Where the call names it: a JSON Pointer into the parameters.
    public let path: String
}

extension Command {
    /// The records that a parameter names.
    ///
    /// - Parameter value: what the function takes for the parameter.
    public func namedRecords(by parameter: Column, _ value: JSONValue) -> [NamedRecord] {
        let type = parsing(of: parameter.name)?.type ?? parameter.type
        return type.namedRecords(in: value, of: parameter.target, at: "".appendingPointer(parameter.name))
    }

    /// The names of the entities whose records the parameter names; empty if no part of it is declared with an entity.
    ///
    /// - Parameter always: leaves out those of parts that a call may leave out, and of lists that may be empty.
    public func namedEntities(by parameter: Column, always: Bool = false) -> Set<String> {
        if always, !parameter.isRequired { return [] }
        return (parsing(of: parameter.name)?.type ?? parameter.type).namedEntities(of: parameter.target, always)
    }

    /// The column that must be the caller's subject in each record of `entity` that a call in `role` names; nil if it may
    /// name every record that the role may read.
    ///
    /// The `id` is the subject in the records of the role's subject only.
    public func ownColumn(of entity: Entity, for role: Role) -> String? {
        guard case .own(let column)? = roles[role], entity.column(named: column) != nil else { return nil }
        return column == Column.id.name && entity.name != role.subject ? nil : column
    }
}

extension FieldType {
    fileprivate func namedRecords(in value: JSONValue, of target: String?, at path: String) -> [NamedRecord] {
        switch self {
        case .bigint:
            guard let target else { return [] }
            do throws(ValueError) {
                return [NamedRecord(id: try postgresText(of: value), entity: target, path: path)]
            } catch {
                return []
            }
        case .json(let shape?): return shape.namedRecords(in: value, of: target, at: path)
        default: return []
        }
    }

    fileprivate func namedEntities(of target: String?, _ always: Bool) -> Set<String> {
        switch self {
        case .bigint: Set([target].compactMap(\.self))
        case .json(let shape?): shape.namedEntities(of: target, always)
        default: []
        }
    }
}

extension Shape {
    fileprivate func namedRecords(in value: JSONValue, of target: String?, at path: String) -> [NamedRecord] {
        switch (self, value) {
        case (.object(let columns), .object(let object)):
            columns.flatMap { column in
                column.type.namedRecords(
                    in: object[column.name] ?? .null, of: column.target, at: path.appendingPointer(column.name))
            }
        case (.kinds(let kinds), .object(let object)):
            kinds.kinds.first { object[kinds.member.name] == .string($0.word) }
                .map { Shape.object(kinds.members(of: $0)).namedRecords(in: value, of: target, at: path) } ?? []
        case (.list(let element, _, _), .array(let values)):
            values.enumerated().flatMap { index, value in
                element.namedRecords(in: value, of: target, at: path.appendingPointer(String(index)))
            }
        case (.scalar(let column), _): column.type.namedRecords(in: value, of: column.target ?? target, at: path)
        default: []
        }
    }

    fileprivate func namedEntities(of target: String?, _ always: Bool) -> Set<String> {
        switch self {
        case .object(let columns):
            columns.filter { $0.isRequired || !always }
                .reduce(into: []) { $0.formUnion($1.type.namedEntities(of: $1.target, always)) }
        case .kinds(let kinds):
            Shape.object(kinds.common + (always ? [] : kinds.kinds.flatMap(\.members))).namedEntities(
                of: target, always)
        case .list(let element, let count, _):
            always && count.lowerBound == 0 ? [] : element.namedEntities(of: target, always)
        case .scalar(let column): column.type.namedEntities(of: column.target ?? target, always)
        case .anyObject: []
        }
    }
}
