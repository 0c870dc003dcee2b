package import DomainKit
package import PostgresDriver
import QueryCompiler

/// What the compiled statements rely on in the database: the tables with their columns, and `id` from a sequence that is
/// named after its table.
package struct SchemaConventions: Sendable {
    private let domains: [Domain]

    package init(_ domains: [Domain]) { self.domains = domains }

    /// Throws a ``ConventionError`` with the first table that is not as its entity declares it.
    ///
    /// - Parameter owner: a client whose role may read the catalogue, as every role may.
    package func check(_ owner: PostgresClient) async throws {
        for domain in domains {
            for entity in domain.entities {
                let rows = try await owner.query(
                    Self.table, [.text(domain.schema), .text(entity.name), .text("\(entity.name)_id_seq")])
                let table = "\(domain.schema).\(entity.name)"
                guard rows.count == 1, let columns = rows.text(0, 0) else { throw ConventionError.noTable(table) }
                let present = Set(columns.split(separator: "\n").map(String.init))
                if let missing = entity.columns.first(where: { !present.contains($0.name) }) {
                    throw ConventionError.noColumn(missing.name, table: table)
                }
                guard rows.text(0, 1) == "true" else {
                    throw ConventionError.noSequence("\(entity.name)_id_seq", table: table)
                }
                if !entity.access.roles(for: .update).isEmpty, !present.contains("version") {
                    throw ConventionError.noColumn("version", table: table)
                }
            }
            for command in domain.commands {
                let types = command.parameters.map(\.type.argument).joined(separator: ", ")
                let rows = try await owner.query(Self.function, [.text("\(command.function)(\(types))")])
                guard rows.text(0, 0) == "true" else {
                    throw ConventionError.noFunction("\(command.function)(\(types))", command: command.name)
                }
            }
        }
    }

    /// Whether there is a function with this signature that runs with the rights of its owner.
    private static let function = Statement(
        "SELECT coalesce((SELECT prosecdef FROM pg_catalog.pg_proc WHERE oid = to_regprocedure($1)), false)::text")

    /// The names of the columns, one on each line, and whether the sequence belongs to the column `id`.
    private static let table = Statement(
        """
        SELECT
            (SELECT string_agg(attname, E'\\n') FROM pg_catalog.pg_attribute
             WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped),
            EXISTS (
                SELECT FROM pg_catalog.pg_depend d
                JOIN pg_catalog.pg_class s ON s.oid = d.objid AND s.relkind = 'S'
                JOIN pg_catalog.pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
                WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.refclassid = 'pg_catalog.pg_class'::regclass
                    AND d.refobjid = c.oid AND d.deptype IN ('a', 'i')
                    AND a.attname = 'id' AND s.relname = $3 AND s.relnamespace = c.relnamespace
            )::text
        FROM pg_catalog.pg_class c
        WHERE c.relnamespace = to_regnamespace(quote_ident($1)) AND c.relname = $2
        """)
}

/// A table that is not as its entity declares it.
package enum ConventionError: Error, Equatable, CustomStringConvertible {
    case noTable(String)
    case noColumn(String, table: String)
    case noSequence(String, table: String)
    case noFunction(String, command: String)

    package var description: String {
        switch self {
        case .noTable(let table): "the table \(table) does not exist"
        case .noColumn(let column, let table): "the table \(table) has no column \(column)"
        case .noFunction(let function, let command):
            "the command \(command) needs the function \(function) as SECURITY DEFINER"
        case .noSequence(let sequence, let table):
            "the table \(table) does not take its id from a sequence of its own that is named \(sequence)"
        }
    }
}
