import DomainKit
import JSON
import TestMail
import TestPostgres
import TestSupport
import Testing

/// A server of the probe domain that sends mails, with gardeners that have addresses.
struct OutboxGarden: Sendable {
    let garden: Garden
    let environment: [String: String]

    var database: TestDatabase { garden.server.database }
    func coordinator() async throws -> RPCClient { try await garden.coordinator() }

    init(mails sink: SMTPSink, arguments: [String] = []) async throws {
        try await self.init(["SMTP_URL": "smtp://127.0.0.1:\(sink.port)"], arguments: arguments)
    }

    init(_ environment: [String: String], arguments: [String] = []) async throws {
        self.environment = environment
        garden = try await Garden(.probe(), arguments: arguments, environment: environment)
    }

    /// A gardener with an address.
    func gardener(_ name: String) async throws -> JSONValue {
        let created = try await coordinator().call(
            "gardeners.create",
            ["values": ["name": .string(name), "email": .string("\(name)@exemple.fr")], "select": "{ id }"])
        return created["id"] ?? .null
    }

    /// What the outbox says about its only message.
    func row(_ columns: String) async throws -> String {
        try await database.psql("SELECT \(columns) FROM kernel.outbox")
    }

    /// Ends the server abnormally.
    func kill() async throws {
        try garden.server.process.signal(9)
        try await garden.server.process.waitForExit()
    }

    /// A further server on the same database.
    func another(_ environment: [String: String]? = nil, arguments: [String] = []) async throws -> TestServer {
        try await TestServer.start(
            arguments, environment: environment ?? self.environment, database: database, program: .probe())
    }

    /// What `doctor` says about the outbox if it is a fault.
    func doctorFinding() async throws -> JSONValue? {
        let run = try await LearnTrackProcess.run(
            ["doctor", "--json", "--port", "0"],
            environment: ["DATABASE_URL": database.connectionString, "JWT_SECRET": TestServer.secret], program: .probe()
        )
        guard case .array(let all)? = try JSONValue.parse(Array(run.output.utf8))["findings"] else { return nil }
        return all.first { $0["name"] == "outbox" && $0["state"] == "fault" }
    }

    /// Lets the leases and pauses of all messages end.
    func passTime() async throws {
        _ = try await database.psql("UPDATE kernel.outbox SET not_before = now() WHERE attempts > 0; NOTIFY outbox")
    }
}

extension SMTPSink {
    /// The accepted mails, when there are so many.
    func mails(atLeast count: Int) async throws -> [Mail] {
        try await eventually("\(count) mails have come") { try mails().count >= count }
        return try mails()
    }

    /// The ids of the accepted mails, in their order.
    func messageIDs() async throws -> [String] {
        var ids: [String] = []
        for mail in try mails() { ids.append(try await Self.read(mail)["message-id"] ?? "") }
        return ids
    }
}
