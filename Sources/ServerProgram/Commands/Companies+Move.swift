import ArgumentParser
import Auth
import Backups
import PersonalData
import PostgresDriver

extension Companies {
    struct Move: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Move a company to another installation, while both serve.",
            discussion: """
                Its rows are copied while calls go on; then writes wait for 5 seconds at most, the rest is copied and compared, and \
                the servers here answer with the address of those there. Ids, passwords, keys and links stay; what is taken there is \
                refused before anything is written. A run that was stopped is completed by the next one, or undone with --abandon.
                """)

        @Argument(help: "The id of the company: 'learntrack companies list'.") var id: Int64
        @Option(help: "The public address of the server that it moves to.") var to: String
        @Option(help: "The database of that server, as its --database-url; its login owns the schema there.")
        var into: String
        @Flag(help: "Undo a move that was stopped: the company stays here, and the copy there is erased.")
        var abandon = false
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var log: LogOptions

        /// The address without a slash at its end.
        private var place: String {
            var address = to[...]
            while address.hasSuffix("/") { address.removeLast() }
            return String(address)
        }

        func validate() throws {
            let schemes = ["https://", "http://"]
            guard let scheme = schemes.first(where: { place.hasPrefix($0) }), place.count > scheme.count,
                place.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !place.contains(where: { "?#\"<>".contains($0) })
            else { throw ValidationError("--to: an address as https://formation.exemple.fr is expected, not '\(to)'") }
        }

        func run() async throws {
            try await database.withDatabase(log, company: id) { _, owner in
                var configuration = PostgresClient.Configuration(connectionString: into)
                configuration.applicationName = "learntrack"
                configuration.poolSize = 1
                let there = PostgresClient(configuration)
                try await withCleanUp {
                    try await CommandError.namingRemedies {
                        try await abandon ? undo(owner, there) : move(owner, there)
                    }
                } cleanUp: {
                    await there.shutdown()
                }
            }
        }

        private func move(_ owner: PostgresClient, _ there: PostgresClient) async throws {
            let report = try await CompanyMove(id, from: owner, into: there, place: place) { printLine($0) }.run()
            guard !report.hadArrived else {
                printLine("\(report.name) (id \(id)) has arrived already: servers here send its calls on to \(place)")
                return
            }
            let milliseconds = Int((report.closed / .milliseconds(1)).rounded())
            printLine(
                "moved \(report.name) (id \(id)) to \(place): \(report.rows) rows, \(report.later) of them while calls went on; writes "
                    + "waited for \(milliseconds) ms")
            printLine(
                "servers here send its calls on: when no client comes any more, 'learntrack companies erase \(id)' removes it here"
            )
        }

        private func undo(_ owner: PostgresClient, _ there: PostgresClient) async throws {
            let (company, erasure) = (id, CompanyErasure(owner: there))
            try await MoveAbandonment(company, from: owner, into: there).run { name, move in
                _ = try await erasure.run(company, named: name, copiedBy: move)
            }
            printLine("company \(id) stays here: the move is undone")
        }
    }
}

extension CompanyAdministration.Company {
    /// As a list of companies shows it.
    var state: String {
        if isErasing { return "  being erased" }
        return switch move {
        case .leaving(let place)?: "  moving to \(place)" + (isSuspended ? "  suspended" : "")
        case .moved(let place)?: "  moved to \(place)"
        case .arriving?: "  arriving"
        case nil: isSuspended ? "  suspended" : ""
        }
    }
}
