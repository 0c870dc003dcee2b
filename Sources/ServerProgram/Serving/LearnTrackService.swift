import Accounts
import Auth
import Documents
import DomainKit
import Feed
import Files
import Logging
import Outbox
import OutgoingHTTP
import PostgresDriver
import QueryCompiler
import RPCServer
import Signatures

/// LearnTrack's RPC service and the services behind it, independent of HTTP.
struct LearnTrackService: Sendable {
    let auth: AuthService
    let rpc: RPCService
    let documents: Documents
    let files: FileService
    let feed: ChangeFeed
    let installation: Installation
    /// Nil if there is nothing to send, and in a service that is only described.
    let outbox: Outbox?
    /// nil when the server has no way to deliver links to a new password.
    let resetQueue: PasswordResetMailer?
    /// The description of the service for its clients.
    var description: OpenRPCDescription { rpc.description }

    init(
        _ clients: DatabaseClients, domains: ServedDomains, secrets: [SigningSecret],
        supabaseSecret: SigningSecret? = nil,
        resets: PasswordResetDelivery? = nil, mailing: Mailing? = nil, outgoing: OutgoingHosts = OutgoingHosts(),
        publicURL: String? = nil, site: ServedSite = ServedSite(),
        address: ServedAddress = ServedAddress("", isPublic: true),
        limits: CallLimits = CallLimits(), envelope: EnvelopeLimits = EnvelopeLimits(), slowCall: Duration? = nil,
        _ logger: Logger
    ) async throws {
        auth = try AuthService(
            database: clients.auth, secrets: secrets, issuer: "learntrack", supabaseSecret: supabaseSecret,
            roles: Set(Role.base.map(\.name)), additionalRoles: Set(domains.additionalRoles.map(\.name)))
        let auth = auth
        resetQueue = resets.map { PasswordResetMailer(authService: auth, delivery: $0, logger: logger) }
        let kernel = try Kernel(
            title: "LearnTrack", domains: domains.all, sortCollation: ServedDomains.sortCollation, journal: "journal",
            identity: auth, databases: Databases(roles: clients.roles, accounts: clients.auth),
            drawing: PictureProcess(), limits: limits, envelope: envelope, slowCall: slowCall)
        installation = kernel.executor.installation
        let transport = mailing.map { OutboxTransport($0, outgoing, logger) }
        // What is only described has no transport.
        let sendsMail = transport?.sendsMail ?? true
        documents = try Documents(kernel, drawing: DocumentProcess(), publicURL: publicURL)
        let signing = try DocumentSigning(
            kernel, documents,
            .init(domain: "signing", signatures: "signatures", signatories: "signatories"), address: address,
            sendsMail: sendsMail)
        let accounts = try AccountMethods(
            kernel, accounts: "users", accountRoles: "account_roles", resetQueue: resetQueue,
            invitations: resets.map { resets in
                Invitations { token, aim, beginning in
                    switch aim {
                    case .password: resets.link(to: token, beginning: beginning)
                    // Who opens it is no member yet. The page names the company, and leads there.
                    case .company: address.url + "/#invitation=" + token
                    }
                }
            },
            sendsMail: sendsMail, site: site)
        files = FileService(kernel, documents)
        feed = ChangeFeed(kernel, database: clients.auth)
        let notices = try Notices(kernel, and: signing.notices + accounts.notices)
        outbox =
            notices.isEmpty
            ? nil
            : transport.map {
                Outbox(kernel, notices, database: clients.worker, transport: $0, logger: logger)
            }
        rpc = try RPCService(
            kernel, version: ServerProgram.version,
            [
                feed.capability, documents.capability(opening: signing.linkedMethods + [files.linkedMethod]),
                signing.capability, accounts.capability, files.capability, notices.capability,
            ])
    }

    /// The description of the service, without a database and without a real secret.
    static func description(of domains: ServedDomains) async throws -> OpenRPCDescription {
        let unused = DatabaseClients.Configuration(
            authConnectionString: nil, directConnectionString: nil, pooling: .session, replicas: [],
            replicaMaxLag: .seconds(1), poolSize: 1, authPoolSize: 1, acquireTimeout: .seconds(1),
            lockTimeout: .seconds(1), timeZone: "UTC")
        let logger = Logger(label: "learntrack")
        let clients = DatabaseClients("", roles: domains.all.roles, unused, logger)
        let secret = try SigningSecret(String(repeating: "-", count: 32))
        let description = try await LearnTrackService(clients, domains: domains, secrets: [secret], logger).description
        await clients.shutdown()
        return description
    }
}
