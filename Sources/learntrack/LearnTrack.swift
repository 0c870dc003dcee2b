import ArgumentParser

@main
struct LearnTrack: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "learntrack",
        abstract: "LearnTrack: a JSON-RPC server for a training organisation's sessions, on Postgres.",
        discussion: "Every setting is a flag or an environment variable; flags win.",
        version: version,
        subcommands: [Serve.self, Migrate.self, Seed.self, User.self, Import.self, OpenRPC.self, Client.self])

    static let version = "1.0.0"
}
