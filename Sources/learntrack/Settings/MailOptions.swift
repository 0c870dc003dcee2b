import ArgumentParser
import Foundation
import Mail

/// How `serve` sends mails.
struct MailOptions: ParsableArguments {
    @Option(name: Settings.smtpURL.flag, help: Settings.smtpURL.help) var smtpURL: String?
    @Option(name: Settings.mailFrom.flag, help: Settings.mailFrom.help) var mailFrom: String?
    @Option(name: Settings.publicURL.flag, help: Settings.publicURL.help) var publicURL: String?
    @Option(name: Settings.resetURL.flag, help: Settings.resetURL.help) var resetURL: String?

    /// How links to a new password are delivered; nil: not at all.
    ///
    /// - Parameters:
    ///   - isEmbedded: whether the database is a private one: then a log will do for a mail.
    ///   - place: where the server is reached if the settings do not say.
    func delivery(isEmbedded: Bool, place: String) throws -> PasswordResetDelivery? {
        let way: PasswordResetDelivery.Way
        if let url = try Settings.smtpURL.value(smtpURL) {
            do throws(SMTPServerError) {
                way = .mail(try SMTPServer(url))
            } catch {
                // The setting's own text holds a password.
                throw Failure("SMTP_URL: \(error)")
            }
        } else {
            way = .log
        }
        let base = try Settings.publicURL.value(publicURL).map { try web($0, "--public-url") } ?? place
        let trimmed = base.hasSuffix("/") ? String(base.dropLast()) : base
        let template = try Settings.resetURL.value(resetURL).map { try web($0, "--reset-url") }
        if let template, !template.contains(PasswordResetDelivery.placeholder) {
            throw Failure("--reset-url: \(PasswordResetDelivery.placeholder) is missing, the place of the token")
        }
        let host = URLComponents(string: base)?.host ?? "localhost"
        // An address in brackets is no domain of a mail address.
        let domain = host.hasPrefix("[") ? "localhost" : host
        guard let from = MailAddress(try Settings.mailFrom.value(mailFrom) ?? "LearnTrack <learntrack@\(domain)>")
        else {
            throw Failure("--mail-from: an address such as 'LearnTrack <bonjour@exemple.fr>' is expected")
        }
        if case .log = way, !isEmbedded { return nil }
        return PasswordResetDelivery(
            way: way, from: from, linkTemplate: template ?? trimmed + "/#reset=" + PasswordResetDelivery.placeholder)
    }

    /// Whether mails would link to this machine, which only its own users can follow.
    func linksToPlace() throws -> Bool {
        try Settings.publicURL.value(publicURL) == nil && Settings.resetURL.value(resetURL) == nil
    }

    private func web(_ text: String, _ source: String) throws -> String {
        guard
            let scheme = URLComponents(
                string: text.replacingOccurrences(of: PasswordResetDelivery.placeholder, with: "t"))?
                .scheme?.lowercased(), ["http", "https"].contains(scheme)
        else { throw Failure("\(source): http:// or https:// is expected, not '\(text)'") }
        return text
    }
}
