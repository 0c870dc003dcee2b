import Auth
import Documents
import DomainKit
import JSON
import PostgresDriver
import RPCServer

/// Decides who may read a file in its company: the account that it belongs to, and every caller who may read a record that
/// names it.
///
/// A caller with an access key does not count as the account: a key has the rights of its role alone.
struct FileAccess: Sendable {
    let executor: Executor
    /// Every served role.
    let roles: [ServedRole]

    var store: FileStore { executor.files }

    static let notFound = ExecutionError.notFound(Noun("fichier", plural: "fichiers", feminine: false))

    /// A file, and the role in which the caller may read it.
    ///
    /// - Throws: `.notFound` also for a file that the caller may not read, or of another company.
    func file(
        _ id: Int64, for caller: Caller, _ context: CallContext
    ) async throws(ExecutionError) -> (file: FileStore.StoredFile, role: ActingRole) {
        let found = try await mapError(
            async: await store.file(id, for: caller, deadline: context.deadline),
            ExecutionError.init(postgres:))
        guard let found else { throw Self.notFound }
        for role in roles.compactMap({ caller.actingRole(among: [$0]) }) {
            if found.account == caller.user.userID, caller.user.accessKeyID == nil { return (found, role) }
            let call = Call(caller: caller, role: role, context: context)
            let isNamed = try await mapError(
                async: await executor.isNamed(id, for: call, as: role), ExecutionError.init(postgres:))
            if isNamed { return (found, role) }
        }
        throw Self.notFound
    }

    /// The bytes of a file that the caller may read.
    ///
    /// - Throws: `.notFound` also if the database was restored without them.
    func bytes(
        of file: FileStore.StoredFile, for caller: Caller, _ context: CallContext
    ) async throws(ExecutionError) -> [UInt8] {
        let bytes = try await mapError(
            async: await store.bytes(of: file.id, for: caller, deadline: context.deadline),
            ExecutionError.init(postgres:))
        guard let bytes else { throw Self.notFound }
        return bytes
    }
}

extension Executor {
    private static let named = Statement("SELECT kernel.file_named($1::bigint)::text")

    /// Whether the role may read a record that names the file. The database decides, by the rights that all reads in the role
    /// have.
    fileprivate func isNamed(_ file: Int64, for call: Call, as role: ActingRole) async throws(PostgresError) -> Bool {
        let rows = try await client(of: role).primary.query(
            Self.named, [.text(String(file))], settings: CallSettings.ofRead(in: call, of: installation),
            for: call.caller?.share, deadline: call.context.deadline)
        return rows.text(0, 0) == "true"
    }
}
