import DomainKit
import JSON
import Logging
import Mail
import Outbox
import OutgoingHTTP
import RPCServer

/// Sends the messages of the outbox: mails to the mail server, requests to their hosts.
final class OutboxTransport: MessageTransport {
    private let mailing: Mailing
    private let client: SMTPClient?
    private let gate = MailGate()
    private let webhooks: WebhookClient
    private let logger: Logger

    init(_ mailing: Mailing, _ hosts: OutgoingHosts, _ logger: Logger) {
        self.mailing = mailing
        self.logger = logger
        webhooks = WebhookClient(hosts)
        client = if case .mail(let server)? = mailing.channel { SMTPClient(server) } else { nil }
    }

    var sendsMail: Bool { mailing.channel != nil }

    func extraTime(for message: Message) -> Duration {
        guard case .mail(_, _, let text, let html, let attachments) = message else { return .zero }
        let count = text.utf8.count + html.utf8.count + attachments.map(\.bytes.count).reduce(0, +)
        // Base64 and its lines add less than two fifths. The content takes as long to be sent as to be read.
        return .seconds(2 * SMTPClient.extraTime(for: count + count * 2 / 5) + SMTPClient.longestVerdict)
    }

    func send(
        _ message: Message, id: String, trace: String?, departing: @escaping @Sendable () async -> Bool
    ) async throws(DeliveryError) -> JSONValue {
        switch message {
        case .mail(let to, let subject, let text, let html, let attachments):
            guard let to = MailAddress(to) else {
                throw DeliveryError(.permanent, .message, "the address is not a mail address")
            }
            return try await send(
                MailMessage(
                    from: mailing.from, to: to, subject: subject, text: text, html: html,
                    attachments: attachments.map {
                        MailMessage.Attachment(name: $0.name, mediaType: $0.mediaType, bytes: $0.bytes)
                    }, id: id), departing)
        case .request(let method, let url, let headers, let body, let accepted, let hosts):
            return try await webhooks.send(
                method, url, among: hosts, headers, body, accepting: accepted, id: id, trace: trace,
                departing: departing)
        }
    }

    func retry() { gate.knock() }

    func abort() {
        client?.abort()
        webhooks.abort()
    }

    private func send(
        _ mail: MailMessage, _ departing: @escaping @Sendable () async -> Bool
    ) async throws(DeliveryError) -> JSONValue {
        guard let client else {
            guard case .log? = mailing.channel else {
                throw DeliveryError(.transient, .settings, "there is no mail server: SMTP_URL is not set")
            }
            guard await departing() else { throw DeliveryError(.transient, .interruption, "it was not logged") }
            logger.warning(
                "SMTP_URL is not set: the mail is logged instead of sent",
                metadata: ["to": "\(mail.to.address)", "subject": "\(mail.subject)", "text": "\(mail.text)"])
            return ["message_id": .string(mail.id)]
        }
        let recipient = mail.to.address
        let pass = try gate.enter(recipient)
        do throws(SMTPError) {
            try await client.send(mail, departing: departing)
        } catch {
            throw failure(error, of: recipient, pass)
        }
        noteOpen(gate.leave(pass, recipient, .taken))
        return ["message_id": .string(mail.id)]
    }

    private func failure(_ error: SMTPError, of recipient: String, _ pass: MailGate.Pass) -> DeliveryError {
        let cause = FailureCause(error.concern)
        func failure(_ kind: DeliveryError.Kind, _ cause: FailureCause) -> DeliveryError {
            DeliveryError(kind, cause, isUnclear: error.mayHaveLeft, error.description)
        }
        let fault = MailGate.Fault(cause: cause.isCommon ? cause : .server, description: error.description)
        let outcome: MailGate.Outcome =
            if error.isDoubtful {
                .doubtful(fault)
            } else if cause.isCommon {
                .common(fault)
            } else {
                cause == .message ? .refused : .interrupted
            }
        let verdict = gate.leave(pass, recipient, outcome)
        noteOpen(verdict)
        switch verdict {
        case .open: return failure(error.isFinal ? .permanent : .transient, cause)
        case .message: return failure(error.isFinal ? .permanent : .transient, .message)
        case .unknown: return failure(.transient, cause)
        case .closed(let pause, let isFirst):
            if isFirst { noteClosed(fault) }
            // After the others, which wait at most a quarter longer than the gate is closed, so that a mail that fails each time
            // does not try for all.
            return failure(error.isDoubtful ? .suspected(pause * 1.5) : .blocked(pause * 1.5), fault.cause)
        }
    }

    private func noteClosed(_ fault: MailGate.Fault) {
        logger.error("No mails leave: \(fault.description)", metadata: ["cause": "\(fault.cause.rawValue)"])
    }

    private func noteOpen(_ verdict: MailGate.Verdict) {
        if verdict == .open(hasOpened: true) { logger.notice("Mails leave again") }
    }
}

extension FailureCause {
    /// What `kernel.outbox` says about a failure of the mail server.
    init(_ concern: SMTPError.Concern) {
        self =
            switch concern {
            case .connection: .connection
            case .encryption: .encryption
            case .server: .server
            case .login: .login
            case .sender: .sender
            case .message: .message
            case .interruption: .interruption
            }
    }
}
