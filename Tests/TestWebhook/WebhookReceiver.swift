import ChildProcesses
import Foundation
import TestSupport
import Testing

/// An HTTP server for tests that stands in for a receiver of webhooks, and misbehaves as its steps say.
package final class WebhookReceiver: Sendable {
    package struct Request: Decodable, Sendable {
        package let method: String
        package let path: String
        package let body: String
        /// What happened to it.
        package let step: String
        /// In seconds.
        package let time: Double
        /// The header `Idempotency-Key`.
        package let key: String
        /// The header `traceparent`.
        package let trace: String
    }

    package let port: Int
    private let folder: String
    private let process: BackgroundProcess
    private let lifeline: FileHandle

    /// - Parameter steps: what happens to each request, the last one to all further ones; see `receiver.py`.
    package init(_ steps: String...) async throws {
        let folder = "/tmp/lt-hook-" + String(UInt64.random(in: .min ... .max), radix: 36)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let script = try ProjectFiles.root() + "/Tests/TestWebhook/receiver.py"
        // The server ends when its standard input is closed.
        let pipe = Pipe()
        process = try await BackgroundProcess.start(
            "/usr/bin/python3", [script, folder] + steps, input: pipe.fileHandleForReading.fileDescriptor,
            log: folder + "/log", environment: ProcessInfo.processInfo.environment)
        try pipe.fileHandleForReading.close()
        lifeline = pipe.fileHandleForWriting
        self.folder = folder
        var found: Int?
        try await eventually("the receiver of webhooks starts") {
            found = FileManager.default.contents(atPath: folder + "/port").flatMap {
                Int(String(decoding: $0, as: UTF8.self))
            }
            return found != nil
        }
        port = found ?? 0
    }

    deinit {
        kill(process.id, SIGKILL)
        do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(folder)") }
    }

    /// Where the server is told to send.
    package var url: String { "http://\(host)/hook" }

    /// The host with its port.
    package var host: String { "127.0.0.1:\(port)" }

    /// The requests so far, in order.
    package func requests() throws -> [Request] {
        let data = FileManager.default.contents(atPath: folder + "/requests") ?? Data()
        return try data.split(separator: UInt8(ascii: "\n")).map { try JSONDecoder().decode(Request.self, from: $0) }
    }
}
