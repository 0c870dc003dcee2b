import ChildProcesses
import FoundationEssentials
import Glibc

/// A command of this program that draws something in a process of its own, which ends with it.
///
/// What a drawing makes the libraries do ends there: a process that computes too long or asks for too much memory is ended by the
/// kernel, and the server goes on.
struct DrawingProcess {
    /// The program that runs, also when another version has taken its place in the file system.
    private static let program = "/proc/self/exe"
    /// Where the libraries and the fonts are. The process reads what strangers give: it gets nothing else of the server's environment,
    /// in which secrets are.
    private static let passedOn = [
        "LD_LIBRARY_PATH", "HOME", "XDG_CACHE_HOME", "XDG_DATA_DIRS", "FONTCONFIG_FILE", "FONTCONFIG_PATH",
    ]

    let command: String
    /// The most bytes that it may write.
    let maxBytes: Int

    /// How the process has ended.
    enum End: Sendable {
        case drawn([UInt8])
        case unreadable
        /// It has computed too long, or has asked for too much memory.
        case excessive
        /// The deadline has passed.
        case timeout
        /// Nothing can be drawn: the cause, for the log.
        case unavailable(String)
    }

    func run(_ input: [UInt8], by deadline: ContinuousClock.Instant) async -> End {
        await withTaskGroup(of: End.self) { group in
            group.addTask { await run(input) }
            group.addTask {
                try? await Task.sleep(until: deadline, clock: .continuous)
                return .timeout
            }
            let first = await group.next()
            // Ends the process if it still runs.
            group.cancelAll()
            return first ?? .timeout
        }
    }

    private func run(_ input: [UInt8]) async -> End {
        let own = ProcessInfo.processInfo.environment
        var environment = ["PATH": "/usr/bin:/bin"]
        for name in Self.passedOn { environment[name] = own[name] }
        do {
            let (status, output) = try await ByteFilter.run(
                Self.program, [command], input: input, upTo: maxBytes, environment: environment)
            switch status {
            case 0: return .drawn(output)
            case DrawingLimits.Status.unreadable.rawValue: return .unreadable
            case DrawingLimits.Status.unavailable.rawValue:
                return .unavailable(String(decoding: output.prefix(500), as: UTF8.self))
            case let status where DrawingLimits.endsOfExcess.contains(status - 128): return .excessive
            default: return .unavailable("the process ended with \(status)")
            }
        } catch {
            return .unavailable("the process cannot run: \(error)")
        }
    }
}
