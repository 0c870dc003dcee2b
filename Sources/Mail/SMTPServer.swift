import FoundationEssentials
import Glibc

/// The server that mails are sent to: `smtp://user:password@host:port` or `smtps://…`.
package struct SMTPServer: Sendable {
    /// When the connection is encrypted.
    package enum Encryption: String, Sendable {
        /// From the first byte on: `smtps://`.
        case always
        /// After STARTTLS. A server that does not offer it gets no mail.
        case required
        /// After STARTTLS if the server offers it. Its certificate is verified only if authorities were named. This protects
        /// against passive listeners, and suits a local server with a certificate of its own.
        case offered
        /// Never, even if the server offers it.
        case never
    }

    /// The URL without user, password and parameters.
    let url: String
    package let encryption: Encryption
    let user: String?
    let password: String?
    /// The path of a PEM file of authorities to trust instead of those of the system.
    let authorities: String?

    /// Whether the server needs a certificate of its name by a trusted authority.
    var verifiesCertificate: Bool { encryption != .offered || authorities != nil }

    /// - Parameter text: the URL. `?starttls=required`, `offered` or `never` sets the encryption; by default it is required
    ///   for a remote server with a user, and used if offered otherwise. `cafile=` names a PEM file of authorities.
    package init(_ text: String) throws(SMTPServerError) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(), let host = parts.host,
            !host.isEmpty, scheme == "smtp" || scheme == "smtps"
        else { throw SMTPServerError(description: "expected smtp://user:password@host:port or smtps://…") }
        let parameters = parts.queryItems ?? []
        guard Set(parameters.map(\.name)).isSubset(of: ["starttls", "cafile"]),
            Set(parameters.map(\.name)).count == parameters.count,
            parts.path.isEmpty || parts.path == "/"
        else {
            throw SMTPServerError(
                description: "the parameters are starttls and cafile, each at most once, and there is no path")
        }
        authorities = parameters.first { $0.name == "cafile" }?.value
        if let authorities, access(authorities, R_OK) != 0 {
            throw SMTPServerError(description: "the file named by cafile cannot be read")
        }
        user = parts.user.flatMap { $0.isEmpty ? nil : $0 }
        password = parts.password
        url = "\(scheme)://\(host)" + (parts.port.map { ":\($0)" } ?? "")
        let isLocal = host == "localhost" || host.hasPrefix("127.") || host == "[::1]"
        if scheme == "smtps" {
            encryption = .always
        } else if let value = parameters.first(where: { $0.name == "starttls" })?.value {
            guard let given = Encryption(rawValue: value), given != .always else {
                throw SMTPServerError(description: "expected required, offered or never for starttls")
            }
            encryption = given
        } else {
            encryption = user == nil || isLocal ? .offered : .required
        }
    }
}

/// Why a text is not the URL of a mail server.
package struct SMTPServerError: Error, Sendable, CustomStringConvertible {
    package let description: String
}
