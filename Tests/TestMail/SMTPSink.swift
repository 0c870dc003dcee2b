import ChildProcesses
import Foundation
import TestSupport

/// A real mail server (aiosmtpd, which Debian has as python3-aiosmtpd) that keeps what it is handed, or misbehaves.
package final class SMTPSink: Sendable {
    package enum Manner: String, Sendable {
        /// Takes everything; offers no STARTTLS.
        case willing
        /// Takes three seconds before its answer to the whole mail.
        case slow
        /// Answers nothing at all once connected.
        case silent
        /// Refuses the recipient for now, the first two times.
        case busy
        /// Refuses the recipient for good.
        case refusing
        /// Asks for a user and password: `user`, `secret`.
        case guarded
        /// Offers STARTTLS, under a certificate of its own for 127.0.0.1, and takes `user` and `secret` after it alone.
        case encrypted
    }

    package struct Mail: Sendable {
        /// As the connection had it.
        package let sender: String
        package let recipients: [String]
        /// Whether it came after STARTTLS.
        package let isEncrypted: Bool
        /// Headers and body as they came.
        package let content: String
    }

    package let port: Int
    private let folder: String
    private let process: BackgroundProcess
    private let lifeline: FileHandle

    package init(_ manner: Manner = .willing) async throws {
        let folder = "/tmp/lt-mail-" + String(UInt64.random(in: .min ... .max), radix: 36)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        if manner == .encrypted { try await Self.makeCertificate(in: folder) }
        let script = try ProjectFiles.root() + "/Tests/TestMail/sink.py"
        // The sink ends when the other end of its standard input does.
        let pipe = Pipe()
        process = try await BackgroundProcess.start(
            "/usr/bin/python3", [script, folder, manner.rawValue], input: pipe.fileHandleForReading.fileDescriptor,
            log: folder + "/log", environment: ProcessInfo.processInfo.environment)
        try pipe.fileHandleForReading.close()
        lifeline = pipe.fileHandleForWriting
        self.folder = folder
        let end = ContinuousClock.now + .seconds(60)
        while true {
            if let data = FileManager.default.contents(atPath: folder + "/port"),
                let port = Int(String(decoding: data, as: UTF8.self))
            {
                self.port = port
                break
            }
            guard ContinuousClock.now < end else {
                let said = String(
                    decoding: FileManager.default.contents(atPath: folder + "/log") ?? Data(), as: UTF8.self)
                throw TestEnvironmentError("the mail sink does not start: \(said)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    deinit {
        kill(process.id, SIGKILL)
        do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(folder)") }
    }

    /// What has been taken so far, in order.
    package func mails() throws -> [Mail] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".mail") }.sorted().map {
            name in
            let data = FileManager.default.contents(atPath: folder + "/" + name) ?? Data()
            let lines = String(decoding: data, as: UTF8.self).split(
                separator: "\n", maxSplits: 3, omittingEmptySubsequences: false)
            return Mail(
                sender: String(lines[0]), recipients: lines[1].split(separator: " ").map(String.init),
                isEncrypted: lines[2] == "tls", content: String(lines[3]))
        }
    }

    /// The certificate of an encrypted one, which nobody vouches for but itself.
    package var certificate: String { folder + "/certificate" }

    private static func makeCertificate(in folder: String) async throws {
        let ran = try await ChildProcess.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                "/CN=sink", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder + "/key", "-out",
                folder + "/certificate",
            ], environment: ProcessInfo.processInfo.environment)
        guard ran.status == 0 else { throw TestEnvironmentError("openssl: \(ran.errors)") }
    }

    /// How many recipients were refused.
    package func refusals() -> Int { count("refusals") }

    /// How often somebody has shown a password.
    package func logins() -> Int { count("logins") }

    private func count(_ file: String) -> Int {
        FileManager.default.contents(atPath: folder + "/" + file)?.count ?? 0
    }

    /// Reads a mail as Python's own library does: its headers decoded and each part's text.
    package static func read(_ mail: Mail) async throws -> [String: String] {
        let script = try ProjectFiles.root() + "/Tests/TestMail/read.py"
        let ran = try await ChildProcess.run(
            "/usr/bin/python3", [script], input: mail.content, environment: ProcessInfo.processInfo.environment)
        guard ran.status == 0 else { throw TestEnvironmentError("read.py: \(ran.errors)") }
        return try JSONDecoder().decode([String: String].self, from: Data(ran.output.utf8))
    }
}
