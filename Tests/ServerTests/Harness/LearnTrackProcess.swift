import DomainKit
import Foundation
import JSON
import TestSupport
import Testing

/// A running command of `learntrack`, or of another server program. It ends with the test process, however that ends: a shell holds the reading end of
/// a pipe and kills the command when the pipe breaks.
final class LearnTrackProcess: @unchecked Sendable {
    // Unchecked: after `init`, `process` is only waited for. `output` and `errors` are read from files.
    private let process = Process()
    private let lifeline = Pipe()
    private let folder: URL

    private static let watchdog = """
        exec 3<&0
        "$@" 3<&- </dev/null & pid=$!
        echo $pid > "$TEST_FOLDER/pid.new"; mv "$TEST_FOLDER/pid.new" "$TEST_FOLDER/pid"
        (cat <&3 >/dev/null 2>&1; kill -9 $pid 2>/dev/null) & watch=$!
        wait $pid; status=$?
        exec 3<&-
        pkill -P $watch 2>/dev/null; kill $watch 2>/dev/null
        exit $status
        """

    /// The program beside the test bundle.
    static var executable: String { TestProgram.learntrack.executable }

    static var projectRoot: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
    }

    /// - Parameter environment: the settings; those of the test process (`LEARNTRACK_…`, `DATABASE_URL` …) are removed.
    init(
        _ arguments: [String], environment: [String: String] = [:], input: String? = nil,
        program: TestProgram = .learntrack
    ) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("lt-test-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var inherited = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("LEARNTRACK_")
                && !["JWT_SECRET", "DATABASE_URL", "SMTP_URL", "SUPABASE_JWT_SECRET"].contains($0.key)
        }
        inherited["TEST_FOLDER"] = folder.path
        // Whether a front has been built makes no difference to the tests.
        inherited["LEARNTRACK_FRONT"] = "none"
        process.environment = inherited.merging(program.environment) { _, new in new }
            .merging(environment) { _, new in new }
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.currentDirectoryURL = Self.projectRoot
        if let input {
            let file = folder.appendingPathComponent("input")
            try Data(input.utf8).write(to: file)
            process.arguments =
                ["-c", "exec \"$@\" < \"$TEST_FOLDER/input\"", "sh", program.executable] + arguments
        } else {
            process.arguments = ["-c", Self.watchdog, "sh", program.executable] + arguments
            process.standardInput = lifeline
        }
        for (name, isOutput) in [("out", true), ("err", false)] {
            let file = folder.appendingPathComponent(name)
            try Data().write(to: file)
            let handle = try FileHandle(forWritingTo: file)
            if isOutput { process.standardOutput = handle } else { process.standardError = handle }
        }
        try process.run()
    }

    deinit {
        if process.isRunning, let pid { kill(pid, SIGKILL) }
        do { try FileManager.default.removeItem(at: folder) } catch { print("left behind: \(folder.path)") }
    }

    var output: String { contents("out") }
    var errors: String { contents("err") }

    private func contents(_ name: String) -> String {
        guard let data = FileManager.default.contents(atPath: folder.appendingPathComponent(name).path) else {
            return ""
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// The process id of the command, not of the shell.
    var pid: pid_t? { pid_t(contents("pid").trimmingCharacters(in: .whitespacesAndNewlines)) }

    var isRunning: Bool { process.isRunning }

    /// Waits until `serve` has printed its ready line.
    ///
    /// - Parameter scheme: `https` with a certificate.
    /// - Returns: the port that the server listens on.
    func waitUntilReady(_ scheme: String = "http", ceiling: Duration = .seconds(120)) async throws -> Int {
        let ready = "LearnTrack ready on \(scheme)://127.0.0.1:"
        var port: Int?
        try await eventually("the server is ready; its log: \(errors)", within: ceiling) {
            port = output.split(separator: "\n").first { $0.hasPrefix(ready) }.flatMap {
                Int($0.dropFirst(ready.count))
            }
            if port == nil, !isRunning { throw TestEnvironmentError("the server has ended: \(errors)") }
            return port != nil
        }
        return try #require(port)
    }

    /// Waits until the log has this text. A line may be written some time after what it tells of.
    func waitForLog(_ text: String) async throws {
        try await eventually("the log has '\(text)'; it is: \(errors)") { errors.contains(text) }
    }

    func signal(_ signal: Int32) throws {
        guard let pid else { throw TestEnvironmentError("the command has not started") }
        kill(pid, signal)
    }

    /// Waits for the exit status; fails after `ceiling`.
    @discardableResult
    func waitForExit(ceiling: Duration = .seconds(60)) async throws -> Int32 {
        try await eventually("the command ends", within: ceiling) { !process.isRunning }
        return process.terminationStatus
    }

    /// Runs a command and waits for its end.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], input: String = "",
        program: TestProgram = .learntrack
    ) async throws -> (status: Int32, output: String, errors: String) {
        let command = try LearnTrackProcess(arguments, environment: environment, input: input, program: program)
        let status = try await command.waitForExit()
        return (status, command.output, command.errors)
    }
}
