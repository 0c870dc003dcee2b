import FoundationEssentials
import Mail

/// The finding of `doctor` about the mail server. It goes as far as the sender of a mail, and sends none.
struct MailExamination {
    let server: SMTPServer
    /// The setting, for the host and the port.
    let url: String
    let sender: MailAddress

    func finding() async -> Finding? {
        guard let parts = URLComponents(string: url), let host = parts.host else { return nil }
        let port = parts.port ?? (parts.scheme?.lowercased() == "smtps" ? 465 : 25)
        if let failure = PortProbe.failure(host, port) {
            return .fault("smtp", failure, remedy: "correct SMTP_URL, or let the firewall pass this port")
        }
        do throws(SMTPError) {
            try await SMTPClient(server, connectTimeout: 5, timeout: 10).examine(sender: sender)
        } catch {
            return .fault("smtp", "\(host), port \(port): \(error)", remedy: Self.remedy(error.concern))
        }
        return .ok("smtp", "\(host) takes mails from \(sender.address) at port \(port)")
    }

    private static func remedy(_ concern: SMTPError.Concern) -> String {
        switch concern {
        case .connection, .interruption: "correct SMTP_URL: a mail server must answer at this port"
        case .encryption:
            "have the mail server's certificate renewed, or correct starttls= and cafile= of SMTP_URL "
                + "(docs/configuration.md)"
        case .server: "ask the operator of the mail server why it takes no mails from this machine"
        case .login: "correct user and password of SMTP_URL"
        case .sender, .message: "correct --mail-from: the login must own the address"
        }
    }
}
