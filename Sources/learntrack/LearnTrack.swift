import ArgumentParser
import ServerProgram

@main
struct LearnTrack: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "learntrack",
        abstract: "LearnTrack: a JSON-RPC server for a training organisation's sessions, on Postgres.",
        discussion: "Every setting is a flag or an environment variable; flags win.",
        version: ServerProgram.version,
        subcommands: ServerProgram.commands + [Import.self])

    static func main() async {
        await ServerProgram(knownDomains: ServedDomains.known, defaultDomains: ["crm"]).run(Self.self)
    }
}
