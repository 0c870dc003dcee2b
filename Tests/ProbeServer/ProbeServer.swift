import ArgumentParser
import Bookshop
import CRMDomain
import CountingDomain
import OddDomain
import ProbeDomain
import ServerProgram

/// A server that knows the domains of the tests and of the tutorial beside those of `learntrack`.
@main
struct ProbeServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe-server", subcommands: ServerProgram.commands)

    static func main() async {
        await ServerProgram(knownDomains: [CRM.domain, Counting.domain, Probe.domain, Bookshop.domain, Odd.domain]).run(
            Self.self)
    }
}
