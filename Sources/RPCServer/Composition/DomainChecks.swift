package import DomainKit
import JSON

extension Domain {
    /// Checks that a role with a right to its own rows comes before the role of ordinary accounts with the right to all.
    ///
    /// Administrators are meant to reach everything, also when they hold other roles.
    fileprivate func checkOrder(_ grants: Grants, of name: String) throws(RPCService.SetupError) {
        guard grants[.user] == .every, let user = roles.firstIndex(of: .user) else { return }
        for role in roles[user...] {
            if case .own? = grants[role] { throw .roleAfterBase(role.name, base: Role.user.name, entity: name) }
        }
    }

    /// Checks that a role may read what it writes: the answer is the record.
    fileprivate func checkReadBack(of entity: Entity) throws(RPCService.SetupError) {
        for role in roles {
            guard let read = entity.access.reach(of: role, for: .read), read != .every else { continue }
            let create = entity.access.reach(of: role, for: .create)
            if create ?? read != read { throw .unreadableWrite(.create, role: role.name, entity: entity.name) }
            // An update with another column reaches the rows that have the subject in both.
            if entity.access.reach(of: role, for: .update) == .every {
                throw .unreadableWrite(.update, role: role.name, entity: entity.name)
            }
        }
    }
}

extension [Domain] {
    /// Checks that every right is one that a call can have, and that a duplicate can have what it copies.
    func checkReaches() throws(RPCService.SetupError) {
        for domain in self {
            for entity in domain.entities {
                for operation in Operation.allCases {
                    try domain.checkOrder(entity.access.grants(for: operation), of: entity.name)
                    for role in entity.access.roles(for: operation) {
                        guard let served = domain.roles.first(where: { $0 == role }) else {
                            throw .foreignRole(role.name, entity: entity.name)
                        }
                        guard case .own(let column)? = entity.access.reach(of: role, for: operation) else { continue }
                        guard served.subject != nil, entity.column(named: column) != nil else {
                            throw .noOwnRows(role: role.name, entity: entity.name)
                        }
                    }
                }
                try domain.checkReadBack(of: entity)
                for column in entity.columns {
                    guard let reason = column.listedFileProblem else { continue }
                    throw .unkeptFile(column: column.name, entity: entity.name, reason: reason)
                }
                try checkSingle(entity)
                if entity.isDuplicable, let column = entity.readableColumns.first(where: { $0.file != nil }) {
                    throw .duplicatedFile(column: column.name, entity: entity.name)
                }
            }
            for command in domain.commands {
                try domain.checkOrder(command.roles, of: command.name)
                for role in domain.roles { try checkReach(of: role, calling: command) }
            }
        }
    }

    /// Checks that calls make no second record of an entity with one at most, and that who creates records that refer to it may make it.
    private func checkSingle(_ entity: Entity) throws(RPCService.SetupError) {
        if entity.isSingle {
            guard entity.access.roles(for: .create).isEmpty, entity.access.roles(for: .delete).isEmpty,
                !entity.isDuplicable
            else { throw .severalOfSingle(entity.name) }
        }
        for single in entity.filledReferences.compactMap({ name in flatMap(\.entities).first { $0.name == name } }) {
            guard let command = flatMap(\.commands).first(where: { $0.opens(single) }) else { continue }
            for role in entity.access.roles(for: .create) where command.roles[role] == nil {
                throw .unopened(entity.name, role: role.name, command: command.name)
            }
        }
    }

    /// Checks that `.own` limits the calls of a command: a parameter that every call gives names a record with the column.
    private func checkReach(of role: Role, calling command: Command) throws(RPCService.SetupError) {
        guard case .own(let column)? = command.roles[role] else { return }
        guard role.subject != nil else { throw .noOwnRows(role: role.name, entity: command.name) }
        for parameter in command.parameters {
            for name in command.namedEntities(by: parameter, always: true) {
                if command.ownColumn(of: try entity(named: name), for: role) != nil { return }
            }
        }
        throw .unlimitedCommand(command.name, role: role.name, column: column)
    }

    /// Checks that each figure is about a to-many relation, and that its columns are columns of the related table with values of
    /// their types.
    func checkFigures() throws(RPCService.SetupError) {
        for entity in flatMap(\.entities) {
            for field in entity.derived {
                guard let figure = field.figure else { continue }
                func invalid(_ reason: String) -> RPCService.SetupError {
                    .invalidFigure(field.name, entity: entity.name, reason: reason)
                }
                guard let relation = entity.relation(named: figure.relation), case .toMany = relation.kind else {
                    throw invalid("the entity has no to-many relation \(figure.relation)")
                }
                let target = try self.entity(named: relation.target)
                let named = [figure.computation.column].compactMap(\.self) + figure.conditions.map(\.column)
                if let missing = named.first(where: { target.column(named: $0)?.isReadable != true }) {
                    throw invalid("\(target.name) has no column \(missing) that calls read")
                }
                if let column = figure.computation.column, let type = target.column(named: column)?.type,
                    let reason = figure.computation.problem(of: field.type, over: type)
                {
                    throw invalid("\(target.name).\(column): \(reason)")
                }
                for condition in figure.conditions {
                    guard let type = target.column(named: condition.column)?.type, !condition.values.isEmpty else {
                        throw invalid("\(condition.column) is compared with no value")
                    }
                    if case .json = type { throw invalid("\(condition.column) is JSON, which is not compared") }
                    for value in condition.values where !value.isNull {
                        do throws(ValueError) {
                            _ = try type.postgresText(of: value)
                        } catch {
                            throw invalid("\(condition.column) cannot have one of the values: \(error.message)")
                        }
                    }
                }
            }
        }
    }

    func checkViews() throws(RPCService.SetupError) {
        for view in flatMap(\.entities) where view.isView {
            if let error = Domain.viewError(of: view, in: self) { throw .invalidView(view.name, error) }
        }
    }

    package func entity(named name: String) throws(RPCService.SetupError) -> Entity {
        guard let entity = lazy.compactMap({ $0.entity(named: name) }).first else { throw .noSuchEntity(name) }
        return entity
    }
}

extension Entity {
    /// The entities to which references lead that every record has and no call gives.
    fileprivate var filledReferences: [String] {
        relations.compactMap { relation in
            guard case .toOne(let name) = relation.kind, let column = column(named: name), column.access == .readOnly,
                !column.isNullable
            else { return nil }
            return relation.target
        }
    }
}

extension RelatedFigure.Computation {
    /// Why values of this type do not give a result of that one; nil: they do.
    fileprivate func problem(of result: FieldType, over type: FieldType) -> String? {
        switch (self, type) {
        case (.count, _): nil
        case (.sum, .bigint), (.sum, .integer), (.sum, .smallint):
            result == .bigint ? nil : "the sum of whole numbers is a .bigint"
        case (.sum, .decimal(_, let scale)):
            if case .decimal(_, scale) = result { nil } else { "the sum is a .decimal of the scale \(scale)" }
        case (.sum, _): "it is no number"
        case (.least, .boolean), (.least, .json), (.least, .uuid), (.greatest, .boolean), (.greatest, .json),
            (.greatest, .uuid):
            "its values have no least and no greatest one"
        case (.least, _), (.greatest, _): result == type ? nil : "the figure has another type"
        }
    }
}
