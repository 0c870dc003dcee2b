import ChildProcesses
import Foundation
import TestSupport

/// A real mail server for tests (aiosmtpd, the Debian package python3-aiosmtpd) that stores mails or misbehaves.
package final class SMTPSink: Sendable {
    package enum Behaviour: String, Sendable {
        /// Accepts every mail; offers no STARTTLS.
        case accepting
        /// Answers three seconds after the mail.
        case slow
        /// Accepts connections and never answers.
        case silent
        /// Rejects the recipient temporarily, the first two times.
        case busy
        /// Rejects the recipient permanently.
        case rejecting
        /// Requires a login: `user`, `secret`.
        case authenticated
        /// Offers STARTTLS with a self-signed certificate for 127.0.0.1, and the login only after it.
        case encrypted
    }

    package struct Mail: Sendable {
        /// The envelope sender (MAIL FROM).
        package let sender: String
        package let recipients: [String]
        /// Whether the mail was sent after STARTTLS.
        package let isEncrypted: Bool
        /// Headers and body, unchanged.
        package let content: String
    }

    package let port: Int
    private let folder: String
    private let process: BackgroundProcess
    private let lifeline: FileHandle

    package init(_ behaviour: Behaviour = .accepting) async throws {
        let folder = "/tmp/lt-mail-" + String(UInt64.random(in: .min ... .max), radix: 36)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        if behaviour == .encrypted { try await Self.makeCertificate(in: folder) }
        let script = try ProjectFiles.root() + "/Tests/TestMail/sink.py"
        // The server ends when its standard input is closed.
        let pipe = Pipe()
        process = try await BackgroundProcess.start(
            "/usr/bin/python3", [script, folder, behaviour.rawValue], input: pipe.fileHandleForReading.fileDescriptor,
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

    /// The accepted mails so far, in order.
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

    /// The path of the self-signed certificate of an `encrypted` server.
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

    /// The number of rejected recipients.
    package func rejections() -> Int { count("rejections") }

    /// The number of login attempts.
    package func logins() -> Int { count("logins") }

    private func count(_ file: String) -> Int {
        FileManager.default.contents(atPath: folder + "/" + file)?.count ?? 0
    }

    /// Parses a mail with Python's email package: decoded headers and the text of each part.
    package static func read(_ mail: Mail) async throws -> [String: String] {
        let script = try ProjectFiles.root() + "/Tests/TestMail/read.py"
        let ran = try await ChildProcess.run(
            "/usr/bin/python3", [script], input: mail.content, environment: ProcessInfo.processInfo.environment)
        guard ran.status == 0 else { throw TestEnvironmentError("read.py: \(ran.errors)") }
        return try JSONDecoder().decode([String: String].self, from: Data(ran.output.utf8))
    }
}
