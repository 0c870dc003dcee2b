import ArgumentParser
import CRMDomain
import ProbeDomain
import ServerProgram

/// A server that knows the probe domain beside that of `learntrack`.
@main
struct ProbeServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe-server", subcommands: ServerProgram.commands)

    static func main() async {
        await ServerProgram(knownDomains: [CRM.domain, Probe.domain]).run(Self.self)
    }
}
