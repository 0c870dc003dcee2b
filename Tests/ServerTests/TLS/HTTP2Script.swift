import DomainKit
import Foundation
import JSON
import TestSupport
import Testing

/// A running command of `http2.py`, a client that writes the frames of HTTP/2 itself.
final class HTTP2Script: @unchecked Sendable {
    // Unchecked: after `init`, `process` is only waited for. What it prints is read from files.
    private let process = Process()
    private let folder: TemporaryFolder

    init(_ port: Int, _ arguments: [String]) throws {
        folder = try TemporaryFolder()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [try ProjectFiles.root() + "/Tests/ServerTests/TLS/http2.py", String(port)] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try folder.emptyFile("out")
        process.standardError = try folder.emptyFile("err")
        try process.run()
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    private var output: String { get throws { try folder.text("out") } }

    /// Waits until the command has printed `line`.
    func wait(for line: String) async throws {
        try await eventually("http2.py prints '\(line)'") {
            if try output.split(separator: "\n").contains(Substring(line)) { return true }
            guard process.isRunning else { throw TestEnvironmentError("http2.py: \(try folder.text("err"))") }
            return false
        }
    }

    /// The object that the command prints at its end.
    func report() async throws -> JSONValue {
        try await eventually("http2.py ends") { !process.isRunning }
        guard process.terminationStatus == 0, let last = try output.split(separator: "\n").last else {
            throw TestEnvironmentError("http2.py: \(try folder.text("err"))")
        }
        return try JSONValue.parse(Array(last.utf8))
    }
}
