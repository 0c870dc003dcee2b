import FoundationEssentials

/// Where mails are handed in: `smtp://user:password@host:port` or `smtps://…`.
package struct SMTPServer: Sendable {
    /// Whether what is said is encrypted.
    package enum Encryption: String, Sendable {
        /// From the first byte: `smtps://`.
        case always
        /// After STARTTLS, or not at all.
        case required
        /// After STARTTLS where the server offers it.
        case offered
        /// Not even where it is offered.
        case never
    }

    /// Why a text is no such place.
    package struct Fault: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// Without user and password.
    let url: String
    package let encryption: Encryption
    let user: String?
    let password: String?

    /// - Parameter text: a password goes to a distant server over an encrypted connection alone, unless
    ///   `?starttls=offered` or `never` says otherwise; without a password encryption is used where it is offered.
    package init(_ text: String) throws(Fault) {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(), let host = parts.host,
            !host.isEmpty, scheme == "smtp" || scheme == "smtps"
        else { throw Fault(description: "smtp://user:password@host:port or smtps://… is expected") }
        let asked = parts.queryItems ?? []
        guard asked.allSatisfy({ $0.name == "starttls" }), asked.count <= 1, parts.path.isEmpty || parts.path == "/"
        else { throw Fault(description: "of parameters only starttls is known, and no path") }
        user = parts.user.flatMap { $0.isEmpty ? nil : $0 }
        password = parts.password
        url = "\(scheme)://\(host)" + (parts.port.map { ":\($0)" } ?? "")
        let isNear = host == "localhost" || host.hasPrefix("127.") || host == "[::1]"
        if scheme == "smtps" {
            encryption = .always
        } else if let word = asked.first?.value {
            guard let given = Encryption(rawValue: word), given != .always else {
                throw Fault(description: "starttls is required, offered or never")
            }
            encryption = given
        } else {
            encryption = user == nil || isNear ? .offered : .required
        }
    }
}
