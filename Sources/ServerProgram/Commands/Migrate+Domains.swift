import ArgumentParser
import DomainKit
import DomainMigrations
import FoundationEssentials
import Migrations
import RPCServer

extension Migrate {
    struct New: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a migration for what a domain declares and the database does not have.",
            discussion: """
                Read it, change it, and save it in the folder of the domain's migrations, or let --write do so. Lines that begin with \
                "-- To do" are left to you. Files of functions are for you to finish.
                """)

        @Argument(help: "The name of the domain.") var domain: String
        @Argument(help: "What the migration is for, in the name of its file: shelves gives 0003_shelves.sql.")
        var purpose: String?
        @Flag(help: "Look at no database: print all that a new domain needs.") var all = false
        @Flag(help: "Write the files into the folder of the domain's migrations. No file is replaced.") var write =
            false
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var files: MigrationOptions
        @OptionGroup var log: LogOptions

        func run() async throws {
            let served = try files.domains.served()
            // Those of the kernel have their migrations in its folder.
            let own = served.migrations(in: "").map(\.domain)
            guard let domain = served.all.first(where: { $0.name == self.domain && own.contains($0.name) }) else {
                let names = own.filter { $0 != MigrationSource.kernel }.joined(separator: ", ")
                throw CommandError("there is no domain '\(self.domain)'; there are: \(names)")
            }
            let folder = try MigrationsFolder.find(try Settings.migrations.value(files.migrations)) + "/" + domain.name
            let errors = all ? nil : try await missing(of: domain, among: served, folder)
            let migration = DomainMigration(of: domain, among: served.all, lacking: errors)
            guard !migration.isEmpty else { return printLine("the database has what \(domain.name) declares") }
            let name = try MigrationFile.nextName(purpose ?? domain.name, in: folder)
            var texts: [(name: String, text: String)] = []
            if !migration.statements.isEmpty {
                texts.append((name, migration.text(of: name, in: domain, safeFrom: ServerProgram.version)))
            }
            texts += migration.functions.map { ("functions/\($0.name)", $0.sql) }
            if write { return try Self.write(texts, into: folder) }
            for file in texts { printLine("-- File: \(domain.name)/\(file.name)\n\n\(file.text)") }
        }

        /// Everything that the database lacks of the domain. What a file that is not applied yet would give is not missing.
        ///
        /// - Parameter folder: that of the domain's migrations, which a new domain does not have.
        private func missing(
            of domain: Domain, among served: ServedDomains, _ folder: String
        ) async throws -> [ConventionError] {
            var errors: [ConventionError] = []
            try await database.withDatabase(log) { _, owner in
                if try MigrationFile.hasAny(in: folder) {
                    let status = try await Migrator(sources: try files.sources(), client: owner).status()
                    if let waiting = status.first(where: {
                        $0.path.hasPrefix("\(domain.name)/") && $0.state == .pending
                    }) {
                        throw CommandError("\(waiting.path) is not applied: run 'learntrack migrate up' first")
                    }
                }
                errors = try await SchemaConventions(served.all).errors(of: domain, owner)
            }
            return errors
        }

        private static func write(_ files: [(name: String, text: String)], into folder: String) throws {
            let manager = FileManager.default
            try manager.createDirectory(atPath: folder + "/functions", withIntermediateDirectories: true)
            for file in files {
                let path = "\(folder)/\(file.name)"
                guard !manager.fileExists(atPath: path) else {
                    printLine("kept \(path), which is there already")
                    continue
                }
                guard manager.createFile(atPath: path, contents: Data(file.text.utf8)) else {
                    throw CommandError("cannot write \(path)")
                }
                printLine("wrote \(path)")
            }
        }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say where the database differs from what the domains declare. Exits with status 1 if it does.")

        @Argument(help: "The name of a domain; without one, all that are served.") var domain: String?
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var domains: DomainOptions
        @OptionGroup var log: LogOptions

        func run() async throws {
            let served = try domains.served()
            let checked = domain.map { name in served.all.filter { $0.name == name } } ?? served.all
            if let domain, checked.isEmpty {
                let names = served.all.map(\.name).joined(separator: ", ")
                throw CommandError("there is no domain '\(domain)'; there are: \(names)")
            }
            var differs = false
            try await database.withDatabase(log) { _, owner in
                let conventions = SchemaConventions(served.all)
                for domain in checked {
                    for error in try await conventions.errors(of: domain, owner) {
                        if error.isCertain { differs = true }
                        let doubt = error.isCertain ? "" : "perhaps "
                        printLine("\(domain.name): \(doubt)\(error.mistake)\n    \(error.remedy)")
                    }
                }
            }
            guard !differs else { throw ExitCode(1) }
            printLine(
                "the database is as \(checked.map(\.name).joined(separator: ", ")) declare\(checked.count == 1 ? "s" : "")"
            )
        }
    }
}
