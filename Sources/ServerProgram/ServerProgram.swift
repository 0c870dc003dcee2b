package import ArgumentParser
package import DomainKit
import Migrations

/// The command line of a server for any set of domains. An executable has a root command with ``commands`` and runs it:
///
/// ```swift
/// @main
/// struct Library: AsyncParsableCommand {
///     static let configuration = CommandConfiguration(commandName: "library", subcommands: ServerProgram.commands)
///
///     static func main() async {
///         await ServerProgram(knownDomains: [Bookshop.domain]).run(Self.self)
///     }
/// }
/// ```
package struct ServerProgram: Sendable {
    /// The version of the server.
    package static let version = ReleaseVersion.current.description

    /// The commands that serve, migrate, seed and describe the domains.
    package static let commands: [any ParsableCommand.Type] = [
        Serve.self, Doctor.self, OutboxCommand.self, Explain.self, Migrate.self, Seed.self, User.self, Companies.self,
        MakeBackup.self,
        RestoreBackup.self,
        Psql.self,
        Export.self,
        Erase.self, OpenRPC.self, Client.self, DrawPicture.self,
        DrawDocument.self,
    ]

    /// The program that runs. Its commands find it here, because ArgumentParser creates them without arguments.
    @TaskLocal static var current = ServerProgram(knownDomains: [], defaultDomains: [])

    /// The domains that `--domains` may name.
    let knownDomains: [Domain]
    /// The names of the domains that are served without `--domains`.
    let defaultDomains: [String]

    /// - Parameters:
    ///   - knownDomains: the domains that `--domains` may name.
    ///   - defaultDomains: the names of those that are served without it; nil: all.
    package init(knownDomains: [Domain], defaultDomains: [String]? = nil) {
        self.knownDomains = knownDomains
        self.defaultDomains = defaultDomains ?? knownDomains.map(\.name)
    }

    /// Runs the command that the arguments of the process name. Does not return if it fails.
    package func run(_ root: (some AsyncParsableCommand).Type) async {
        await Self.$current.withValue(self) { await root.main(nil) }
    }
}
