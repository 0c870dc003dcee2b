package import DomainKit
import QueryCompiler
package import RPCServer

/// A migration that brings a database from where it is to what a domain declares: tables, columns, rights, and the functions that
/// are still to be written. Its author reads it, changes it and owns it.
///
/// What no declaration says is left to the author, in lines that begin with `-- To do`.
package struct DomainMigration {
    /// The statements of the numbered file; empty if the database has all that is declared.
    package let statements: [String]
    /// The files of `functions/` that are missing.
    package let functions: [FunctionFile]
    /// What the statements lock, for the head of the file.
    package let locks: String

    package var isEmpty: Bool { statements.isEmpty && functions.isEmpty }

    /// - Parameters:
    ///   - domain: the domain.
    ///   - domains: every served domain.
    ///   - errors: what the database lacks of it (``SchemaConventions``); nil: the migration is for a database without the domain.
    package init(of domain: Domain, among domains: [Domain], lacking errors: [ConventionError]?) {
        var writing = Writing(domain: domain, domains: domains)
        // What is doubtful may be as its author wants it.
        writing.add(errors?.filter(\.isCertain) ?? domain.everythingMissing)
        statements = writing.statements
        functions = writing.functions
        let locked =
            writing.changed.sorted().map { "\($0) against everything" }
            + writing.referenced.subtracting(writing.changed).sorted().map { "\($0) against writes" }
        locks =
            locked.isEmpty ? "nothing that exists before it" : "\(locked.joined(separator: ", ")), until it is applied"
    }

    /// The text of the file `name`, as `migrations/<domain>/<name>` has it.
    package func text(of name: String, in domain: Domain, safeFrom version: String) -> String {
        """
        -- To do: what this is for.
        --
        -- Safe from: \(version)
        -- Locks: \(locks)

        \(statements.joined(separator: "\n"))

        INSERT INTO kernel.migrations (domain, name) VALUES ('\(domain.name)', '\(name)') ON CONFLICT DO NOTHING;

        """
    }
}
