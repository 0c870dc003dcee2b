import DomainKit
import QueryCompiler

extension TableSQL {
    /// What `Access` says of one role, as calls of `kernel.rights_keep`: one for all rights that reach the same rows.
    func rights(of role: Role, to operations: [Operation] = Operation.allCases) -> [String] {
        var reaches: [Reach] = []
        for operation in operations {
            if let reach = entity.access.reach(of: role, for: operation), !reaches.contains(reach) {
                reaches.append(reach)
            }
        }
        return reaches.map { reach in
            func has(_ operation: Operation) -> Bool {
                operations.contains(operation) && entity.access.reach(of: role, for: operation) == reach
            }
            var arguments = [quoted, SQLIdentifier.literal(role.databaseRole)]
            if has(.read) { arguments.append("readable => \(readable)") }
            if has(.create), !entity.writableColumns(for: .create).isEmpty {
                arguments.append("created => \(written(.create))")
            }
            if has(.update), !entity.writableColumns(for: .update).isEmpty {
                arguments.append("updated => \(written(.update))")
            }
            if has(.delete) { arguments.append("deletes => true") }
            if case .own(let column) = reach { arguments.append("own => \(SQLIdentifier.literal(column))") }
            return SQLCall.text("kernel.rights_keep", arguments)
        }
    }

    private var readable: String {
        entity.columns.allSatisfy(\.isReadable) ? "'*'" : list(entity.readableColumns)
    }

    /// The columns that calls write, `*` for all but those that the database keeps itself.
    private func written(_ kind: WriteKind) -> String {
        let columns = entity.writableColumns(for: kind)
        let kept = Set(["id"] + Column.bookkeeping.map(\.name))
        return columns.count == entity.columns.count { !kept.contains($0.name) } ? "'*'" : list(columns)
    }

    private func list(_ columns: [Column]) -> String {
        SQLIdentifier.literal(columns.map(\.name).joined(separator: ", "))
    }
}

/// The call of a function that returns nothing, on several lines if it is long.
enum SQLCall {
    private static let width = 128

    static func text(_ function: String, _ arguments: [String]) -> String {
        var lines = ["SELECT \(function)("]
        for (index, argument) in arguments.enumerated() {
            let part = argument + (index == arguments.count - 1 ? ");" : ",")
            let separator = lines[lines.count - 1].hasSuffix("(") ? "" : " "
            if lines[lines.count - 1].count + separator.count + part.count > width {
                lines.append("    " + part)
            } else {
                lines[lines.count - 1] += separator + part
            }
        }
        return lines.joined(separator: "\n")
    }
}
