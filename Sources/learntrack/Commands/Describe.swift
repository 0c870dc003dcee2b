import ArgumentParser
import RPCServer
import TypeScriptClient

struct OpenRPC: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "openrpc", abstract: "Print the OpenRPC document that describes the service.")

    func run() async throws {
        printLine(try await LearnTrackService.document().text)
    }
}

struct Client: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a client of the service.", subcommands: [TypeScript.self])

    struct TypeScript: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "typescript", abstract: "Print a typed client: one TypeScript file without dependencies.")

        func run() async throws {
            write(TypeScriptClient(document: try await LearnTrackService.document().value).source, to: 1)
        }
    }
}
