import ArgumentParser
import RPCServer
import TypeScriptClient

struct OpenRPC: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "openrpc", abstract: "Print the OpenRPC document that describes the service.")

    func run() async throws {
        printLine(try await ServedService.document().text)
    }
}

struct Client: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a client for the service.", subcommands: [TypeScript.self])

    struct TypeScript: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "typescript", abstract: "A typed client in one TypeScript file without dependencies.")

        func run() async throws {
            write(TypeScriptClient(document: try await ServedService.document().value).source, to: 1)
        }
    }
}
