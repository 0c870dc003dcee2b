import FoundationEssentials
import Glibc

/// Where mails are handed in: `smtp://user:password@host:port` or `smtps://…`.
package struct SMTPServer: Sendable {
    /// Whether what is said is encrypted.
    package enum Encryption: String, Sendable {
        /// From the first byte: `smtps://`.
        case always
        /// After STARTTLS, or not at all.
        case required
        /// After STARTTLS where the server offers it, whoever it is: as safe against listeners as it gets with a server
        /// that need not offer it, and the way to one on this machine that made its certificate itself.
        case offered
        /// Not even where it is offered.
        case never
    }

    /// Without user and password.
    let url: String
    package let encryption: Encryption
    let user: String?
    let password: String?
    /// A file of certificates that are trusted in place of the system's.
    let authorities: String?

    /// Whether a server has to prove by a certificate that it is the one named.
    var mustProveItself: Bool { encryption != .offered || authorities != nil }

    /// - Parameter text: a password goes to a distant server over an encrypted connection alone, unless
    ///   `?starttls=offered` or `never` says otherwise; without a password encryption is used where it is offered.
    ///   `cafile=` names the file of the authorities that the server's certificate may be of.
    package init(_ text: String) throws(SMTPServerError) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(), let host = parts.host,
            !host.isEmpty, scheme == "smtp" || scheme == "smtps"
        else { throw SMTPServerError(description: "smtp://user:password@host:port or smtps://… is expected") }
        let asked = parts.queryItems ?? []
        guard Set(asked.map(\.name)).isSubset(of: ["starttls", "cafile"]), Set(asked.map(\.name)).count == asked.count,
            parts.path.isEmpty || parts.path == "/"
        else {
            throw SMTPServerError(
                description: "of parameters only starttls and cafile are known, once each, and no path")
        }
        authorities = asked.first { $0.name == "cafile" }?.value
        if let authorities, access(authorities, R_OK) != 0 {
            throw SMTPServerError(description: "the file that cafile names cannot be read")
        }
        user = parts.user.flatMap { $0.isEmpty ? nil : $0 }
        password = parts.password
        url = "\(scheme)://\(host)" + (parts.port.map { ":\($0)" } ?? "")
        let isNear = host == "localhost" || host.hasPrefix("127.") || host == "[::1]"
        if scheme == "smtps" {
            encryption = .always
        } else if let word = asked.first(where: { $0.name == "starttls" })?.value {
            guard let given = Encryption(rawValue: word), given != .always else {
                throw SMTPServerError(description: "starttls is required, offered or never")
            }
            encryption = given
        } else {
            encryption = user == nil || isNear ? .offered : .required
        }
    }
}

/// Why a text is not the URL of a mail server.
package struct SMTPServerError: Error, Sendable, CustomStringConvertible {
    package let description: String
}
