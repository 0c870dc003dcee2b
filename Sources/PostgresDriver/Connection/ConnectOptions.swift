import CLibPQ
import Glibc

/// The keywords and values with which a connection is opened: those of the connection string, those of the configuration,
/// and the driver's defaults.
struct ConnectOptions: Equatable {
    var keywords: [(key: String, value: String)]
    private let hasOwnUserTimeout: Bool

    static func == (left: ConnectOptions, right: ConnectOptions) -> Bool {
        left.keywords.elementsEqual(right.keywords) { $0 == $1 }
    }

    init(_ configuration: PostgresClient.Configuration) throws(ConnectError) {
        var given = try Self.parse(configuration.connectionString)
        hasOwnUserTimeout = given.contains { $0.key == "tcp_user_timeout" }
        func setDefault(_ key: String, _ value: String) {
            if !given.contains(where: { $0.key == key }) { given.append((key, value)) }
        }
        // Asking for Kerberos takes longer than connecting.
        setDefault("gssencmode", "disable")
        setDefault("fallback_application_name", configuration.applicationName)
        // They detect within seconds that packets are lost, on idle connections too.
        setDefault("keepalives_idle", "3")
        setDefault("keepalives_interval", "1")
        setDefault("keepalives_count", "3")
        setDefault("tcp_user_timeout", "4000")

        // A transaction pooler refuses startup options, or applies them to an arbitrary server connection.
        let options =
            configuration.pooling == .session
            ? Self.options(role: configuration.role, settings: configuration.settings) : ""
        let before = given.first { $0.key == "options" }?.value
        given.removeAll { $0.key == "options" || $0.key == "client_encoding" }
        given.append(("client_encoding", "UTF8"))
        let all = [before, options].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
        if !all.isEmpty { given.append(("options", all)) }
        keywords = given
    }

    /// Role and settings as startup options: they cost no statement, and hold from the first one on.
    static func options(role: String?, settings: [String: String]) -> String {
        var all = settings.sorted { $0.key < $1.key }
        if let role { all.append(("role", role)) }
        return all.map { "-c \($0.key)=\(escape($0.value))" }.joined(separator: " ")
    }

    /// The server splits the options at white space; a backslash escapes.
    private static func escape(_ value: String) -> String {
        var escaped = ""
        for character in value {
            if character.isWhitespace || character == "\\" { escaped.append("\\") }
            escaped.append(character)
        }
        return escaped
    }

    /// Removes the TCP timeout from an open connection, unless the connection string sets it.
    ///
    /// It is meant for connecting and for cancel requests, which libpq makes with the same keywords. An open connection it
    /// would also end while the server is busy and has no room for more data. There `DeadPeerDetector` takes its place.
    func clearUserTimeout(of socket: Int32) {
        guard !hasOwnUserTimeout else { return }
        var none: Int32 = 0
        // Fails, without consequence, on a Unix domain socket.
        _ = setsockopt(socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &none, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Calls `body` with the two null-terminated arrays that libpq expects.
    func withPointers<R>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<UnsafePointer<CChar>?>?) -> R
    ) -> R {
        let keys = keywords.map { strdup($0.key) }
        let values = keywords.map { strdup($0.value) }
        defer { for pointer in keys + values { free(pointer) } }
        return (keys.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { keys in
            (values.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { values in
                body(keys.baseAddress, values.baseAddress)
            }
        }
    }

    /// The keywords and values of a connection string.
    static func parse(_ string: String) throws(ConnectError) -> [(key: String, value: String)] {
        guard !string.isEmpty else { return [] }
        var complaint: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(string, &complaint) else {
            defer { PQfreemem(complaint) }
            let cause = complaint.map { String(cString: $0).trimmed.withoutQuotations } ?? "no reason given"
            throw ConnectError(cause: "the connection string cannot be read: \(cause)")
        }
        defer { PQconninfoFree(options) }
        var keywords: [(key: String, value: String)] = []
        var option = options
        while let key = option.pointee.keyword {
            if let value = option.pointee.val { keywords.append((String(cString: key), String(cString: value))) }
            option += 1
        }
        return keywords
    }
}

extension String {
    /// With quoted parts left out: libpq may quote the password of a connection string.
    var withoutQuotations: String {
        split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .map { index, part in index.isMultiple(of: 2) ? String(part) : "…" }
            .joined(separator: "\"")
    }
}

/// The statement at the beginning of each batch, where connections keep no session state: it sets role and settings for the
/// batch's transaction.
///
/// The batch needs neither BEGIN nor COMMIT. What is sent between two Syncs is one transaction, which a transaction pooler
/// keeps on one server connection, and it ends at the Sync even after an error. A COMMIT would be skipped after an error,
/// and the failed transaction would stay open on one of the pooler's connections.
struct Preamble: Sendable {
    let sql: String
    let parameters: [Parameter]

    /// Nil when there is no setting, and when the settings were made while connecting.
    init?(_ configuration: PostgresClient.Configuration) {
        guard configuration.pooling == .transaction else { return nil }
        var all = configuration.settings.sorted { $0.key < $1.key }
        // The role comes last, because it may not be allowed to change the settings.
        if let role = configuration.role { all.append(("role", role)) }
        guard !all.isEmpty else { return nil }
        let requests = all.indices.map { "pg_catalog.set_config($\($0 * 2 + 1), $\($0 * 2 + 2), true)" }
        sql = "SELECT " + requests.joined(separator: ", ")
        parameters = all.flatMap { [.text($0.key), .text($0.value)] }
    }
}
