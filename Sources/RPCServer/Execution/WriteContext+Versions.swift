import DomainKit
import PostgresDriver
import QueryCompiler

/// Conflicts about the version of a record.
extension WriteContext {
    /// The answer of a call that expects another version of a record.
    ///
    /// If the record has the expected version now that the transaction is undone, or does not exist, an earlier call of the
    /// transaction has changed or created it.
    ///
    /// - Parameter current: reads the whole record.
    func versionConflict(_ outdated: OutdatedRecord, of entity: Entity, _ current: RecordRead) async -> ExecutionError {
        do throws(ExecutionError) {
            let record = try await executor.record(
                current.plan(id: outdated.id), of: entity, on: database, for: call)
            if !followsOthers || record.version(of: entity) != outdated.expected {
                return .versionConflict(current: record)
            }
        } catch {
            guard followsOthers, case .notFound = error else { return error }
        }
        return .changedBefore(id: outdated.id, version: outdated.version)
    }
}

extension Record {
    /// The version in a row with all readable columns of `entity`.
    func version(of entity: Entity) -> String? {
        entity.readableColumns.firstIndex { $0.name == "version" }.flatMap { rows.text(0, $0) }
    }
}
