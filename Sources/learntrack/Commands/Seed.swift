import ArgumentParser

struct Seed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Load demo data into an empty database.",
        discussion: """
            A small training organisation with sessions around today's date, and two accounts, admin@demo.learntrack.fr \
            and user@demo.learntrack.fr, both with the password \(DemoData.password). Does nothing where there is data.
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var files: MigrationOptions
    @OptionGroup var log: LogOptions

    func run() async throws {
        let folder = try files.folder()
        try await database.withDatabase(log) { database, owner in
            try await database.migrateIfEmbedded(from: folder, owner)
            let isLoaded = try await DemoData.load(from: folder, into: owner)
            printLine(isLoaded ? "demo data loaded" : "the database holds data already: nothing loaded")
        }
    }
}
