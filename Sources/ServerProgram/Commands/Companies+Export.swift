import ArgumentParser
import Backups
import PersonalData
import PostgresDriver

extension Companies {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Write a company into a file, also while a server runs: its records, people, journal, documents and files.",
            discussion: """
                All of it is as it was at one instant. People are in it by address and name, and nobody comes in by the file; for a \
                move, --with-accounts adds what they and devices sign in with. 'companies import' reads the file.
                """)

        @Argument(help: "The id of the company: 'learntrack companies list'.") var id: Int64
        @Option(help: "The file.") var to: String
        @Flag(help: "With the hashes of passwords and keys, passkeys, links, and what calls were answered of late.")
        var withAccounts = false
        @Flag(help: "Replace a file that exists, when the new one is complete.") var overwrite = false
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var log: LogOptions

        func run() async throws {
            try await database.withDatabase(log, company: id) { _, owner in
                let path = to.absolutePath
                let export = CompanyExport(owner: owner, program: ServerProgram.version)
                let (manifest, size) = try await export.write(
                    to: path, overwriting: overwrite, hasAccounts: withAccounts)
                printLine(
                    "wrote \(path): \(size.inUnits), \(manifest.company.name) at \(manifest.takenAt), "
                        + "\(manifest.rows) rows\(withAccounts ? ", with accounts" : "")")
            }
        }
    }

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Bring a company in from a file that 'companies export' has written.",
            discussion: """
                All or nothing: a file that is damaged, incomplete or of another version of the schema is refused before anything \
                is written. A member whose address has an account here is invited, and becomes a member by accepting; another one \
                gets an account.
                """)

        @Argument(help: "The file.") var file: String
        @Option(help: "The name of the company here, if it is to have another one.") var name: String?
        @Option(help: "Its id here; the next one otherwise.") var id: Int64?
        @Flag(help: "Invite by mail, which a running server sends, the members who cannot sign in.") var invite = false
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var log: LogOptions

        func validate() throws {
            if let name { try Companies.validate(name: name) }
            if let id, id < 1 { throw ValidationError("--id: a number from 1 on is expected") }
        }

        func run() async throws {
            let company = try CompanyFile(verifying: file.absolutePath)
            try await database.withDatabase(log) { _, owner in
                let report = try await CommandError.namingRemedies {
                    try await CompanyImport(owner: owner).run(company, name: name, id: id, invites: invite)
                }
                printLine(
                    "imported \(name ?? company.manifest.company.name) (id \(report.company)): "
                        + "\(company.manifest.rows) rows, as at \(company.manifest.takenAt)")
                printLine(
                    "active members: \(report.members), of whom \(report.invited) are invited and "
                        + "\(report.withoutPassword) have no password")
                if !invite, report.invited > 0 {
                    printLine(
                        "those have an account here and enter by an invitation: an administrator of the company sends it "
                            + "(users.invite_again); where there is none yet, add one, with an address that has no account "
                            + "here: 'learntrack user add --email … --role admin --company \(report.company)'")
                }
                if !invite, report.withoutPassword > 0 {
                    printLine("'learntrack user password EMAIL' gives a password to one who has none")
                }
                if let raised = report.raised { printLine("ids that were taken here are others now: \(raised)") }
                if let ended = report.ended { printLine("no longer valid, to be given anew: \(ended)") }
            }
        }
    }

    struct Erase: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a company with all that it has. It cannot be brought back.",
            discussion: """
                Its records, journal, documents, files, keys, links and waiting messages go, and the accounts that are members of \
                no other company. Servers go on serving the others; sign-ins and streams of this one end at once. A run that was \
                stopped is completed by the next one. Backups that were made before still have the company.
                """)

        @Argument(help: "The id of the company: 'learntrack companies list'.") var id: Int64
        @Option(help: "The name of the company, exactly.") var confirm: String
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var log: LogOptions

        func run() async throws {
            try await database.withDatabase(log) { _, owner in
                let report = try await CommandError.namingRemedies {
                    try await CompanyErasure(owner: owner).run(id, named: confirm)
                }
                let width = report.tables.map { String($0.rows).count }.max() ?? 0
                for table in report.tables {
                    let rows = String(table.rows)
                    printLine(String(repeating: " ", count: width - rows.count) + rows + "  " + table.name)
                }
                printLine("erased \(confirm) (id \(id)): \(report.members) members, \(report.accounts) accounts")
            }
        }
    }
}

extension CommandError {
    /// Runs `body`, whose statements the database refuses with a hint that says what to do.
    static func namingRemedies<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as PostgresError {
            guard let server = error.server, let hint = server.hint else { throw error }
            let remedy = hint.hasSuffix(".") ? hint.dropLast() : hint[...]
            throw CommandError("\(server.message): \(remedy.prefix(1).lowercased())\(remedy.dropFirst())")
        }
    }
}
