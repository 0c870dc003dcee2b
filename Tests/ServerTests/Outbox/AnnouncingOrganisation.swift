import DomainKit
import JSON
import TestPostgres
import TestSupport
import TestWebhook
import Testing

/// A server of its own, with an organisation that has a webhook of a stand-in of Discord.
struct AnnouncingOrganisation: Sendable {
    let server: TestServer
    let receiver: WebhookReceiver
    private let arguments: [String]
    private let environment: [String: String]

    static let webhook = "/api/webhooks/123456789/jeton"

    /// - Parameters:
    ///   - isAutomatic: `organisme.annonces_auto`.
    ///   - others: further receivers that the server may send to.
    init(
        _ receiver: WebhookReceiver, isAutomatic: Bool = true, others: [WebhookReceiver] = [],
        environment: [String: String] = [:]
    ) async throws {
        self.receiver = receiver
        self.environment = environment
        arguments = ["--outgoing-hosts", ([receiver] + others).map(\.host).joined(separator: ",")]
        server = try await TestServer.start(arguments, environment: environment)
        _ = try await server.database.psql(
            """
            INSERT INTO organisme (annonces_auto, discord_webhook)
            VALUES (\(isAutomatic), 'http://\(receiver.host)\(Self.webhook)')
            """)
    }

    /// A further server on the same database.
    func another(_ environment: [String: String]? = nil) async throws -> TestServer {
        try await TestServer.start(arguments, environment: environment ?? self.environment, database: server.database)
    }

    /// Ends the server abnormally.
    func kill() async throws {
        try server.process.signal(9)
        try await server.process.waitForExit()
    }

    /// Rows that are created over a connection of their own, because the server closes idle ones.
    func rows() async throws -> Fixtures { try await Fixtures(server) }

    /// A call of the administrator, over a connection of its own.
    func call(_ method: String, _ params: JSONValue) async throws -> JSONValue {
        try await server.client().call(method, params)
    }

    /// A session to come, without a trainer unless `values` has one.
    func session(_ values: [(String, JSONValue)] = []) async throws -> JSONValue {
        JSONValue(
            try await rows().create(
                "sessions",
                Fixtures.session(
                    module: "Kotlin",
                    [
                        ("date", "2999-01-14"), ("tarif_client", .number("4321.09")),
                        ("tarif_sous_traitant", .number("450.00")),
                    ] + values)))
    }

    func change(_ session: JSONValue, _ values: JSONValue) async throws {
        _ = try await call("sessions.update", ["id": session, "values": values])
    }

    /// What `sessions.share` gives trainers.
    func shared(_ session: JSONValue) async throws -> String {
        let share = try await call("sessions.share", ["id": session, "format": "discord"])
        return try #require(share["text"]?.text)
    }

    /// The requests so far, when all announcements have left or were given up.
    func requests() async throws -> [WebhookReceiver.Request] {
        try await eventually("all announcements have ended") {
            try await outbox("count(*)", "kind = 'sessions.annonce' AND sent_at IS NULL AND gave_up_at IS NULL") == "0"
        }
        return try receiver.requests()
    }

    func outbox(_ columns: String, _ condition: String = "true") async throws -> String {
        try await server.database.psql("SELECT \(columns) FROM kernel.outbox WHERE \(condition)")
    }

    /// Lets the leases and pauses of all messages end.
    func passTime() async throws {
        _ = try await server.database.psql(
            "UPDATE kernel.outbox SET not_before = now() WHERE attempts > 0; NOTIFY outbox")
    }

    /// The mails that name messages which may stay on Discord leave now. They wait for further ones otherwise.
    func sendOrphans() async throws {
        _ = try await server.database.psql(
            "UPDATE kernel.outbox SET not_before = now() WHERE kind = 'organisme.annonces_orphelines'; NOTIFY outbox")
    }

    /// The text of a request.
    static func text(_ request: WebhookReceiver.Request) throws -> String {
        try JSONValue.parse(Array(request.body.utf8))["content"]?.text ?? ""
    }
}
