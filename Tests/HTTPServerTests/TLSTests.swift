import Glibc
import Logging
import NIOCore
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct TLSTests {
    private let files: TestCertificate
    private let certificate: ServerCertificate

    init() throws {
        files = try TestCertificate()
        certificate = try ServerCertificate(certificateFile: files.certificate, keyFile: files.key)
    }

    @Test func `a client that does not begin its handshake is cut off`() async throws {
        let certificate = certificate
        try await TestServer.run(configure: {
            $0.certificate = certificate
            $0.requestTimeout = .milliseconds(200)
        }) { server in
            let silent = try await server.connect()
            try await silent.ended()
            #expect(silent.isEmpty)
        }
    }

    @Test func `connections whose handshake has not ended make way for a newcomer`() async throws {
        let certificate = certificate
        try await TestServer.run(configure: {
            $0.certificate = certificate
            $0.maxConnections = 4
            $0.maxConnectionsPerAddress = 2
        }) { server in
            var connections: [TestConnection] = []
            for _ in 0..<3 { connections.append(try await server.connect()) }
            let first = connections[0]
            try await first.ended()
            #expect(!connections[2].hasEnded)
        }
    }

    @Test func `the certificate knows its names and its end`() {
        #expect(certificate.names.cover("localhost"))
        #expect(certificate.names.cover("127.0.0.1"))
        #expect(!certificate.names.cover("evil.example"))
        let days = (certificate.term.ends - Int(time(nil))) / 3_600
        #expect((47...48).contains(days))
    }

    private func refresh(isAsked: Bool, _ errors: EventRecorder<String>) {
        certificate.refresh(
            isAsked: isAsked, Logger(label: "test") { _ in MessageRecorder(recorder: errors) })
    }

    @Test func `a pair that was renewed by half is reported when it is seen again, and once`() throws {
        let log = EventRecorder<String>()
        let before = certificate.names
        let other = try TestCertificate("DNS:other.test")
        try files.replaceKey(by: other)
        refresh(isAsked: false, log)
        #expect(log.all.isEmpty)
        refresh(isAsked: false, log)
        refresh(isAsked: false, log)
        #expect(log.all.count == 1)
        #expect(certificate.names == before)
        try files.replace(by: other)
        refresh(isAsked: false, log)
        #expect(log.all.count == 2)
        #expect(certificate.names.hosts == ["other.test"])
    }

    @Test func `an operator who asks learns whether the pair is another or unchanged, and a pair that is bad still is`()
        throws
    {
        let log = EventRecorder<String>()
        refresh(isAsked: true, log)
        #expect(log.all == ["The certificate is unchanged"])
        let other = try TestCertificate("DNS:other.test")
        try files.replace(by: other)
        refresh(isAsked: true, log)
        refresh(isAsked: true, log)
        #expect(log.all.suffix(2) == ["Certificate taken", "The certificate is unchanged"])
        try files.replaceKey(by: TestCertificate())
        for _ in 0..<2 {
            refresh(isAsked: true, log)
            #expect(log.all.last == "The certificate was not renewed; the old one is kept")
        }
        refresh(isAsked: false, log)
        #expect(log.all.count == 5)
        try files.replace(by: other)
        refresh(isAsked: false, log)
        #expect(log.all.count == 5)
        #expect(certificate.names.hosts == ["other.test"])
    }

    @Test func `files that cannot be read are reported once, and at once when an operator asks`() throws {
        let log = EventRecorder<String>()
        try files.remove()
        refresh(isAsked: false, log)
        refresh(isAsked: false, log)
        #expect(log.all.count == 1)
        refresh(isAsked: true, log)
        #expect(log.all.count == 2)
        #expect(certificate.names.cover("localhost"))
    }
}

/// Keeps the messages that are logged.
private struct MessageRecorder: LogHandler {
    let recorder: EventRecorder<String>
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        recorder.record("\(event.message)")
    }
}
