import DomainKit
import JSON
import Logging
import Mail
import OutgoingHTTP
import RPCServer

/// Sends the messages of the outbox: mails to the mail server, requests to their hosts.
final class OutboxTransport: MessageTransport {
    private let mailing: Mailing
    private let client: SMTPClient?
    private let webhooks: WebhookClient
    private let logger: Logger

    init(_ mailing: Mailing, _ hosts: OutgoingHosts, _ logger: Logger) {
        self.mailing = mailing
        self.logger = logger
        webhooks = WebhookClient(hosts)
        client = if case .mail(let server)? = mailing.channel { SMTPClient(server) } else { nil }
    }

    var sendsMail: Bool { mailing.channel != nil }

    func send(_ message: Message, id: String, trace: String?) async throws(DeliveryError) -> JSONValue {
        switch message {
        case .mail(let to, let subject, let text, let html, let attachments):
            guard let to = MailAddress(to) else {
                throw DeliveryError(.permanent, "the address is not a mail address")
            }
            return try await send(
                MailMessage(
                    from: mailing.from, to: to, subject: subject, text: text, html: html,
                    attachments: attachments.map {
                        MailMessage.Attachment(name: $0.name, mediaType: $0.mediaType, bytes: $0.bytes)
                    }, id: id))
        case .request(let method, let url, let headers, let body, let accepted, let hosts):
            return try await webhooks.send(
                method, url, among: hosts, headers, body, accepting: accepted, id: id, trace: trace)
        }
    }

    func abort() {
        client?.abort()
        webhooks.abort()
    }

    private func send(_ mail: MailMessage) async throws(DeliveryError) -> JSONValue {
        guard let client else {
            guard case .log? = mailing.channel else {
                throw DeliveryError(.transient, "there is no mail server: SMTP_URL is not set")
            }
            logger.warning(
                "SMTP_URL is not set: the mail is logged instead of sent",
                metadata: ["to": "\(mail.to.address)", "subject": "\(mail.subject)", "text": "\(mail.text)"])
            return ["message_id": .string(mail.id)]
        }
        do throws(SMTPError) {
            try await client.send(mail)
        } catch {
            // Without a reply, the server may have accepted the mail before the connection was lost.
            throw DeliveryError(
                error.isTransient || error.reply == nil ? .transient : .permanent, isUnclear: error.reply == nil,
                error.description)
        }
        return ["message_id": .string(mail.id)]
    }
}
