import ChildProcesses
import FoundationEssentials
import Glibc
import RPCServer

/// Draws pictures in processes of this program, each of which ends with its picture.
///
/// What a picture makes the libraries do ends there: a process that computes too long or asks for too much memory is ended by the
/// kernel, and the server goes on.
struct PictureProcess: PictureDrawing {
    /// A larger result is not taken. That of 900 pixels a side has 4 MB at most.
    private static let maxBytes = 8 * 1_024 * 1_024
    /// The program that runs, also when another version has taken its place in the file system.
    private static let program = "/proc/self/exe"

    /// The signals of a process that has computed too long, or whose libraries gave up without memory. All others come from
    /// elsewhere and say nothing of the picture, such as that of a machine without memory.
    private static let endsOfPictures: Set<Int32> = [SIGXCPU, SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGTRAP]

    func draw(
        _ bytes: [UInt8], by deadline: ContinuousClock.Instant
    ) async throws(PictureDrawingError) -> DrawnPicture {
        let result = await withTaskGroup(of: Result<DrawnPicture, PictureDrawingError>.self) { group in
            group.addTask { await Self.run(bytes) }
            group.addTask {
                try? await Task.sleep(until: deadline, clock: .continuous)
                return .failure(.timeout)
            }
            let first = await group.next()
            // Ends the process if it still runs.
            group.cancelAll()
            return first ?? .failure(.timeout)
        }
        return try result.get()
    }

    private static func run(_ bytes: [UInt8]) async -> Result<DrawnPicture, PictureDrawingError> {
        // The process reads what strangers give: it gets nothing of the server's environment, in which secrets are.
        var environment = ["PATH": "/usr/bin:/bin"]
        environment["LD_LIBRARY_PATH"] = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]
        do {
            let (status, output) = try await ByteFilter.run(
                program, [DrawPicture.name], input: bytes, upTo: maxBytes, environment: environment)
            switch status {
            case 0: return .success(.png(output))
            case DrawPicture.Status.unreadable.rawValue: return .success(.unreadable)
            case DrawPicture.Status.unavailable.rawValue:
                return .failure(.unavailable(String(decoding: output.prefix(500), as: UTF8.self)))
            case let status where endsOfPictures.contains(status - 128): return .success(.tooCostly)
            default: return .failure(.unavailable("the process ended with \(status)"))
            }
        } catch {
            return .failure(.unavailable("the process cannot run: \(error)"))
        }
    }
}
