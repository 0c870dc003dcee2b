import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// A server over HTTPS, and the clients that people have for it.
final class TLSServer: Sendable {
    let server: TestServer
    let certificate: TestCertificate

    private static let shared = Shared { try await TLSServer.start() }

    /// The server of all tests that neither end it nor renew its certificate.
    static func running() async throws -> TLSServer {
        try await shared.value()
    }

    /// - Parameter database: one that has the schema; nil: a new one.
    static func start(database: TestDatabase? = nil) async throws -> TLSServer {
        let certificate = try TestCertificate()
        let server = try await TestServer.start(
            [
                "--tls-certificate", certificate.certificate, "--tls-key", certificate.key, "--http-redirect-port", "0",
            ], database: database, scheme: "https")
        return TLSServer(server, certificate)
    }

    private init(_ server: TestServer, _ certificate: TestCertificate) {
        self.server = server
        self.certificate = certificate
    }

    var port: Int { server.port }

    /// The port of plain HTTP.
    func redirectPort() async throws -> Int {
        let line = "Plain HTTP on port "
        var port: Int?
        try await eventually("plain HTTP is served") {
            port = server.process.output.split(separator: "\n").first { $0.hasPrefix(line) }
                .flatMap { Int($0.dropFirst(line.count).prefix(while: \.isNumber)) }
            return port != nil
        }
        return try #require(port)
    }

    // MARK: Clients

    struct Answer {
        let status: Int
        let version: String
        /// In the order of arrival; names in lower case.
        let headers: [(name: String, value: String)]
        let body: String

        subscript(name: String) -> String? { headers.first { $0.name == name }?.value }
    }

    /// What curl receives, which verifies the certificate.
    /// - Parameter url: the path of a request over HTTPS, or a whole URL.
    func curl(_ url: String, _ arguments: [String] = []) async throws -> Answer {
        let url = url.hasPrefix("/") ? "https://localhost:\(port)\(url)" : url
        let outcome = try await ExternalProgram.run(
            "/usr/bin/curl",
            [
                "-sS", "--max-time", "20", "--cacert", certificate.certificate, "-D", "-", "-w",
                "\n%{http_code} %{http_version}",
            ] + arguments + [url])
        guard outcome.status == 0 else { throw TestEnvironmentError("curl: \(outcome.errors)") }
        let text = outcome.output.replacing("\r\n", with: "\n")
        let last = text.split(separator: "\n").last.map { $0.split(separator: " ") } ?? []
        // Behind the heads of interim responses.
        var rest = text[...]
        var head = Substring()
        while rest.hasPrefix("HTTP/"), let end = rest.firstRange(of: "\n\n") {
            head = rest[..<end.lowerBound]
            rest = rest[end.upperBound...]
        }
        let headers = head.split(separator: "\n").dropFirst().compactMap { line -> (name: String, value: String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (line[..<colon].lowercased(), line[colon...].dropFirst().trimmingCharacters(in: .whitespaces))
        }
        return Answer(
            status: last.first.flatMap { Int($0) } ?? 0, version: last.last.map(String.init) ?? "", headers: headers,
            body: String(rest.prefix(upTo: rest.lastIndex(of: "\n") ?? rest.endIndex)))
    }

    /// What `openssl s_client` says of a handshake.
    func handshake(_ arguments: [String]) async throws -> ExternalProgram.Outcome {
        try await ExternalProgram.run(
            "/usr/bin/openssl", ["s_client", "-connect", "127.0.0.1:\(port)", "-servername", "localhost"] + arguments)
    }

    /// Runs a command of `http2.py` and returns the object that it prints.
    func http2(_ arguments: [String]) async throws -> JSONValue {
        try await HTTP2Script(port, arguments).report()
    }

    /// Starts a command of `http2.py` and waits until it prints `line`.
    func http2(_ arguments: [String], until line: String) async throws -> HTTP2Script {
        let script = try HTTP2Script(port, arguments)
        try await script.wait(for: line)
        return script
    }

    /// An access token of the administrator.
    func token() async throws -> String {
        let body: JSONValue = [
            "jsonrpc": "2.0", "id": 1, "method": "auth.login",
            "params": ["email": .string(TestServer.admin), "password": .string(TestServer.password)],
        ]
        let answer = try await curl("/rpc", ["--http2", "-H", "Content-Type: application/json", "-d", body.json])
        return try #require(try JSONValue.parse(Array(answer.body.utf8)).at("/result/access_token").text)
    }
}
