import CLibPQ
import Glibc

/// The keywords and values a connection is opened with: what the connection string says, what the configuration adds,
/// and defaults for what neither mentions.
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
        // Looking for Kerberos costs more than connecting does.
        setDefault("gssencmode", "disable")
        setDefault("fallback_application_name", configuration.applicationName)
        // A network that swallows packets is noticed within seconds, idle or not.
        setDefault("keepalives_idle", "3")
        setDefault("keepalives_interval", "1")
        setDefault("keepalives_count", "3")
        setDefault("tcp_user_timeout", "4000")

        // A transaction pooler would refuse them, or apply them to whichever of its connections comes first.
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

    /// Role and settings travel in the first packet of the connection: no statement, and never a moment without them.
    static func options(role: String?, settings: [String: String]) -> String {
        var all = settings.sorted { $0.key < $1.key }
        if let role { all.append(("role", role)) }
        return all.map { "-c \($0.key)=\(escape($0.value))" }.joined(separator: " ")
    }

    /// The server splits the options at white space and takes a backslash as an escape.
    private static func escape(_ value: String) -> String {
        var escaped = ""
        for character in value {
            if character.isWhitespace || character == "\\" { escaped.append("\\") }
            escaped.append(character)
        }
        return escaped
    }

    /// The time-out bounds connecting and cancel requests, which libpq makes with the same keywords. On a connection that
    /// is open it would also strike a server that is at work and has no room for more meanwhile: there `SocketSendStatus` takes
    /// its place. One that the connection string asks for stays.
    func clearUserTimeout(of socket: Int32) {
        guard !hasOwnUserTimeout else { return }
        var none: Int32 = 0
        // A socket that is not TCP's has none.
        _ = setsockopt(socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &none, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Calls `body` with the two null-ended arrays libpq wants.
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

    private static func parse(_ string: String) throws(ConnectError) -> [(key: String, value: String)] {
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
    /// What libpq quotes of a connection string may be its password.
    var withoutQuotations: String {
        split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .map { index, part in index.isMultiple(of: 2) ? String(part) : "…" }
            .joined(separator: "\"")
    }
}
