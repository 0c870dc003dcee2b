import DomainKit
import QueryCompiler

extension TableSQL {
    /// What `Access` says of one role, as calls of `kernel.rights_keep`: one for all rights that reach the same rows.
    func rights(of role: Role) -> [String] {
        var reaches: [Reach] = []
        for operation in Operation.allCases {
            if let reach = entity.access.reach(of: role, for: operation), !reaches.contains(reach) {
                reaches.append(reach)
            }
        }
        return reaches.map { reach in
            func has(_ operation: Operation) -> Bool { entity.access.reach(of: role, for: operation) == reach }
            var arguments = [quoted, SQLIdentifier.literal(role.databaseRole)]
            if has(.read) { arguments.append("readable => \(readable)") }
            if has(.create) { arguments.append("created => \(list(entity.writableColumns(for: .create)))") }
            if has(.update) {
                let columns = entity.writableColumns(for: .update)
                if !columns.isEmpty { arguments.append("updated => \(list(columns))") }
            }
            if has(.delete) { arguments.append("deletes => true") }
            if case .own(let column) = reach { arguments.append("own => \(SQLIdentifier.literal(column))") }
            return "SELECT kernel.rights_keep(\(arguments.joined(separator: ", ")));"
        }
    }

    private var readable: String {
        entity.columns.allSatisfy(\.isReadable) ? "'*'" : list(entity.readableColumns)
    }

    private func list(_ columns: [Column]) -> String {
        SQLIdentifier.literal(columns.map(\.name).joined(separator: ", "))
    }
}
