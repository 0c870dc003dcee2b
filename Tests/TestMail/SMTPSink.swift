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
        /// Reads a mail at less than a megabyte a second.
        case thin
        /// Rejects the recipient temporarily, the first two times.
        case busy
        /// Rejects the recipient permanently.
        case rejecting
        /// Requires a login: `user`, `secret`.
        case authenticated
        /// Offers STARTTLS with a self-signed certificate for 127.0.0.1, and the login only after it.
        case encrypted
    }

    /// What a mail server does that does not take mails, until it is mended.
    package enum Fault: String, Sendable, CaseIterable {
        case greetsWith554 = "greets_with_554"
        case greetsWith421 = "greets_with_421"
        case closesBeforeGreeting = "closes_before_greeting"
        case speaksHTTP = "speaks_http"
        /// Lines of a greeting, one after the other.
        case greetsWithoutEnd = "greets_without_end"
        /// 535 to every login.
        case refusesLogin = "refuses_login"
        /// 454 to every login.
        case cannotCheckLogin = "cannot_check_login"
        /// 530 to MAIL.
        case requiresLogin = "requires_login"
        case refusesSender = "refuses_sender"
        case deniesRelay = "denies_relay"
        /// 550 5.7.1 to every recipient, which may concern one or all.
        case deniesAccess = "denies_access"
        /// The same to recipients that begin with "a".
        case deniesSome = "denies_some"
        case hasReachedQuota = "has_reached_quota"
        case closesAfterSender = "closes_after_sender"
        /// Offers STARTTLS with a certificate of ``SMTPSink/certificate`` that has ended.
        case hasExpiredCertificate = "has_expired_certificate"
        /// Takes all of the mail, and closes the connection without a reply.
        case closesDuringContent = "closes_during_content"
        /// Closes the connection without a reply to the content for recipients that begin with "a".
        case closesForSome = "closes_for_some"
        case failsAfterContent = "fails_after_content"
        case greylists
        case refusesContent = "refuses_content"
        case findsMailTooLarge = "finds_mail_too_large"
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

    package convenience init(_ behaviour: Behaviour = .accepting) async throws {
        try await self.init("sink.py", behaviour.rawValue) { folder in
            if behaviour == .encrypted { try await Self.makeCertificate("certificate", days: 2, in: folder) }
        }
    }

    /// A server that fails until it is mended.
    package convenience init(failing fault: Fault) async throws {
        try await self.init("faulty.py", fault.rawValue) { folder in
            guard fault == .hasExpiredCertificate else { return }
            try await Self.makeCertificate("certificate", days: -1, in: folder)
            try await Self.makeCertificate("renewed", days: 2, in: folder)
        }
    }

    private init(
        _ script: String, _ behaviour: String, prepare: (_ folder: String) async throws -> Void
    ) async throws {
        let folder = "/tmp/lt-mail-" + String(UInt64.random(in: .min ... .max), radix: 36)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try await prepare(folder)
        let script = try ProjectFiles.root() + "/Tests/TestMail/" + script
        // The server ends when its standard input is closed.
        let pipe = Pipe()
        process = try await BackgroundProcess.start(
            "/usr/bin/python3", [script, folder, behaviour], input: pipe.fileHandleForReading.fileDescriptor,
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

    /// The certificate that a ``Fault/hasExpiredCertificate`` has when it is mended.
    package var renewedCertificate: String { folder + "/renewed" }

    /// A self-signed certificate for 127.0.0.1, of the key of the folder.
    private static func makeCertificate(_ name: String, days: Int, in folder: String) async throws {
        let key = folder + "/key"
        let environment = ProcessInfo.processInfo.environment
        func openssl(_ arguments: [String]) async throws {
            let ran = try await ChildProcess.run("openssl", arguments, environment: environment)
            guard ran.status == 0 else { throw TestEnvironmentError("openssl: \(ran.errors)") }
        }
        if !FileManager.default.fileExists(atPath: key) {
            try await openssl(["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key])
        }
        // "openssl req" makes no certificate that has ended.
        try await openssl(["req", "-new", "-key", key, "-subj", "/CN=sink", "-out", folder + "/request"])
        try Data("subjectAltName=IP:127.0.0.1\n".utf8).write(to: URL(fileURLWithPath: folder + "/extensions"))
        try await openssl([
            "x509", "-req", "-in", folder + "/request", "-signkey", key, "-days", "\(days)", "-extfile",
            folder + "/extensions", "-out", folder + "/" + name,
        ])
    }

    /// Lets a failing server take mails from now on.
    package func mend() throws {
        try Data().write(to: URL(fileURLWithPath: folder + "/mended"))
    }

    /// How often a failing server has failed.
    package func faults() -> Int { count("faults") }

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
