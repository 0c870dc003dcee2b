import Auth
import DomainKit
import Logging
import PostgresDriver
import QueryCompiler
import RPCServer

/// The service with everything it stands on, apart from how it is reached.
struct ServedService: Sendable {
    let identity: AuthService
    let rpc: RPCService
    /// Where forgotten passwords are replaced, if anywhere.
    let resetQueue: PasswordResetMailer?
    /// What the service is, for those who want to call it.
    var document: OpenRPCDocument { rpc.document }

    init(
        _ clients: DatabaseClients, secrets: [SigningSecret], supabaseSecret: SigningSecret? = nil,
        resets: PasswordResetDelivery? = nil,
        limits: Limits = Limits(), envelope: EnvelopeLimits = EnvelopeLimits(), _ logger: Logger
    ) async throws {
        identity = try await AuthService(
            database: clients.auth, secrets: secrets, supabaseSecret: supabaseSecret,
            roles: Set(Role.allCases.map(\.rawValue)))
        let identity = identity
        resetQueue = resets.map { PasswordResetMailer(identity: identity, delivery: $0, logger: logger) }
        rpc = try RPCService(
            title: "LearnTrack", version: LearnTrack.version, domains: servedDomains, accounts: "users",
            journal: "journal", identity: identity,
            databases: Databases(user: clients.user, admin: clients.admin, accounts: clients.auth),
            resetQueue: resetQueue, limits: limits, envelope: envelope)
    }

    /// The document alone: nothing is connected to, and nothing is signed.
    static func document() async throws -> OpenRPCDocument {
        let nowhere = DatabaseClients.Configuration(
            authConnectionString: nil, directConnectionString: nil, pooling: .session, replicas: [],
            replicaMaxLag: .seconds(1),
            poolSize: 1, authPoolSize: 1,
            acquireTimeout: .seconds(1), timeZone: "UTC")
        let logger = Logger(label: "learntrack")
        let clients = DatabaseClients("", nowhere, logger)
        let secret = try SigningSecret(String(repeating: "-", count: 32))
        let document = try await ServedService(clients, secrets: [secret], logger).document
        await clients.shutdown()
        return document
    }
}
