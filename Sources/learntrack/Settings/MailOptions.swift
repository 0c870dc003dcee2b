import ArgumentParser
import Foundation
import Mail

/// The settings of mails.
struct MailOptions: ParsableArguments {
    @Option(name: Settings.smtpURL.flag, help: Settings.smtpURL.help) var smtpURL: String?
    @Option(name: Settings.mailFrom.flag, help: Settings.mailFrom.help) var mailFrom: String?
    @Option(name: Settings.publicURL.flag, help: Settings.publicURL.help) var publicURL: String?
    @Option(name: Settings.resetURL.flag, help: Settings.resetURL.help) var resetURL: String?

    /// How links to a new password are delivered; nil: they cannot be delivered.
    ///
    /// - Parameters:
    ///   - isEmbedded: whether the database is the embedded one; without a mail server, links are then logged.
    ///   - serverURL: the address in links when the settings give no public one.
    func delivery(isEmbedded: Bool, serverURL: String) throws -> PasswordResetDelivery? {
        let channel: PasswordResetDelivery.Channel
        if let url = try Settings.smtpURL.value(smtpURL) {
            do throws(SMTPServerError) {
                channel = .mail(try SMTPServer(url))
            } catch {
                // The error does not repeat the setting, which contains a password.
                throw CommandError("SMTP_URL: \(error)")
            }
        } else {
            channel = .log
        }
        let base = try Settings.publicURL.value(publicURL).map { try web($0, "--public-url") } ?? serverURL
        let trimmed = base.hasSuffix("/") ? String(base.dropLast()) : base
        let template = try Settings.resetURL.value(resetURL).map { try web($0, "--reset-url") }
        if let template, !template.contains(PasswordResetDelivery.placeholder) {
            throw CommandError("--reset-url: \(PasswordResetDelivery.placeholder) must stand in the place of the token")
        }
        let host = URLComponents(string: base)?.host ?? "localhost"
        // An IPv6 address cannot be the domain of a mail address.
        let domain = host.hasPrefix("[") ? "localhost" : host
        guard let from = MailAddress(try Settings.mailFrom.value(mailFrom) ?? "LearnTrack <learntrack@\(domain)>")
        else {
            throw CommandError("--mail-from: an address such as 'LearnTrack <bonjour@exemple.fr>' is expected")
        }
        if case .log = channel, !isEmbedded { return nil }
        return PasswordResetDelivery(
            channel: channel, from: from,
            linkTemplate: template ?? trimmed + "/#reset=" + PasswordResetDelivery.placeholder)
    }

    /// Whether mails would link to the server's own address, which other machines may not reach.
    func linksToServerURL() throws -> Bool {
        try Settings.publicURL.value(publicURL) == nil && Settings.resetURL.value(resetURL) == nil
    }

    private func web(_ text: String, _ source: String) throws -> String {
        guard
            let scheme = URLComponents(
                string: text.replacingOccurrences(of: PasswordResetDelivery.placeholder, with: "t"))?
                .scheme?.lowercased(), ["http", "https"].contains(scheme)
        else { throw CommandError("\(source): http:// or https:// is expected, not '\(text)'") }
        return text
    }
}
