import ArgumentParser
import RPCServer
import TypeScriptClient

struct OpenRPC: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "openrpc", abstract: "Print the OpenRPC document that describes the service.")

    @OptionGroup var domains: DomainOptions

    func run() async throws {
        printLine(try await LearnTrackService.description(of: domains.served()).text)
    }
}

struct Client: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a client of the service.", subcommands: [TypeScript.self])

    struct TypeScript: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "typescript", abstract: "Print a typed client: one TypeScript file without dependencies.")

        @OptionGroup var domains: DomainOptions

        func run() async throws {
            let description = try await LearnTrackService.description(of: domains.served())
            write(TypeScriptClient(description: description.value).source, to: 1)
        }
    }
}
