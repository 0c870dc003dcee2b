package import DomainKit

extension RPCService {
    /// The reason why the domains cannot be served.
    package enum SetupError: Error, Sendable, Equatable, CustomStringConvertible {
        case noSuchEntity(String)
        case duplicateMethod(String)
        case duplicateEntity(String, domains: [String])
        case noDatabase(role: String)
        /// The entity, or the command, grants rights to a role that its domain does not have.
        case foreignRole(String, entity: String)
        /// The role is to reach its own rows of the entity, or of what the command names, but it has no subject, or the
        /// entity has no such column.
        case noOwnRows(role: String, entity: String)
        /// The role is to call the command for its own rows only, but there is no parameter that every call gives and that
        /// names a record of an entity with this column.
        case unlimitedCommand(String, role: String, column: String)
        /// The operation reaches rows that the role may not read, so that a write would be answered with 404 after its commit.
        case unreadableWrite(Operation, role: String, entity: String)
        /// The role is to reach its own rows of the entity, or of what the command answers, but the domain lists it after
        /// a base role to which the same right reaches every row. Each account has a base role: the call would be made in
        /// that one.
        case roleAfterBase(String, base: String, entity: String)
        /// The role may call the command, but not read what it answers.
        case unreadableAnswer(role: String, command: String)
        /// The role may call the command, but not read the records that a parameter names.
        case unreadableParameter(role: String, entity: String, command: String)
        /// The parameter is declared with an entity, but no part of it is the id of a record, or the entity is a view.
        case noRecordID(parameter: String, command: String)
        /// The role may call a method that loads rows of an entity which it may not read.
        case unreadableLoad(role: String, entity: String)
        /// A method loads a file of the column, but no load of the entity before it selects the column, or the column names
        /// no files.
        case noFile(column: String, entity: String)
        /// The entity is duplicable and its column names files. A duplicate would name a file of another account, which is refused.
        case duplicatedFile(column: String, entity: String)
        /// A value of the column names files where the database cannot keep them.
        case unkeptFile(column: String, entity: String, reason: String)
        /// There is one record at most, and a role may create, duplicate or delete it.
        case severalOfSingle(String)
        /// The role may create records of the entity, which refer to the only record of another, and may not call the command that
        /// makes it.
        case unopened(String, role: String, command: String)
        case invalidView(String, ViewError)
        case invalidFigure(String, entity: String, reason: String)
        /// The method makes no documents.
        case noDocuments(method: String)
        /// The documents that are signed have other parameters than the first of them.
        case otherParameters(method: String)
        /// The first role of the notice's domain does not reach every record that the notice may be about.
        case unreadableNotice(String)
        case duplicateNotice(String)
        /// No capability serves what the domain declares.
        case unserved(DomainPart, domain: String)

        package var description: String {
            switch self {
            case .noSuchEntity(let entity): "no served domain has an entity \(entity)"
            case .duplicateMethod(let method): "two methods have the name \(method)"
            case .duplicateEntity(let entity, let domains):
                "two entities have the name \(entity): of the domains \(domains.joined(separator: ", "))"
            case .noDatabase(let role): "there is no database client for the role \(role)"
            case .foreignRole(let role, let entity):
                "\(entity) gives a right to the role \(role), which its domain does not list in roles"
            case .noOwnRows(let role, let entity):
                "the role \(role) is to reach its own rows of \(entity), but it has no subject, or there is no such column"
            case .unlimitedCommand(let command, let role, let column):
                "the role \(role) is to call \(command) for its own rows only, but no required parameter names a record of an "
                    + "entity with the column \(column): declare one with of:, or grant every row and limit the "
                    + "function by kernel.subject()"
            case .unreadableWrite(let operation, let role, let entity):
                "the role \(role) may \(operation) rows of \(entity) that it may not read: give \(operation) the reach of read"
            case .roleAfterBase(let role, let base, let entity):
                "the domain lists the role \(role) after \(base), so that calls of an account with both would reach every row "
                    + "of \(entity): list \(role) first"
            case .unreadableAnswer(let role, let command):
                "the role \(role) may call \(command), but not read what it answers"
            case .unreadableParameter(let role, let entity, let command):
                "the role \(role) may call \(command), but not read records of \(entity), which a parameter names"
            case .noRecordID(let parameter, let command):
                "the parameter \(parameter) of \(command) is to name records of an entity, but no part of it is a bigint, or the "
                    + "entity is a view"
            case .unreadableLoad(let role, let entity):
                "the role \(role) may call a method that loads rows of \(entity), but not read them"
            case .noFile(let column, let entity):
                "a method loads the file \(column) of \(entity), but no load before it selects such a column"
            case .duplicatedFile(let column, let entity):
                "\(entity) is duplicable and its column \(column) names files, which a duplicate could not take over: an account "
                    + "names its own files only"
            case .unkeptFile(let column, let entity, let reason):
                "the column \(column) of \(entity) names files, and the database cannot keep them: \(reason)"
            case .severalOfSingle(let entity):
                "\(entity) is single, so that a command makes its only record: give no role the right to create or delete it, and "
                    + "leave out isDuplicable:"
            case .unopened(let entity, let role, let command):
                "the role \(role) may create \(entity), which refer to what \(command) makes at its first call: let the role call it"
            case .noDocuments(let method): "the method \(method) makes no documents"
            case .otherParameters(let method):
                "the documents that can be signed have the same parameters, and \(method) has others"
            case .unreadableNotice(let notice):
                "the notice \(notice) is about an entity of which the first role of its domain does not read every record"
            case .duplicateNotice(let notice): "two notices have the name \(notice)"
            case .unserved(let part, let domain):
                "the domain \(domain) declares \(part.rawValue), which no capability of the service serves"
            case .invalidFigure(let field, let entity, let reason):
                "the figure \(field) of \(entity) cannot be served: \(reason)"
            case .invalidView(let view, let error): "the view \(view) cannot be served: \(error)"
            }
        }
    }
}
