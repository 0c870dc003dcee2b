import Auth
import Logging
import Mail
import RPCServer
import ServiceLifecycle
import Synchronization

/// Takes requests for new passwords and mails the links, apart from the calls that asked for them: neither the look for
/// the account nor the mail server holds up an answer, or tells by its time whether there is an account.
///
/// What waits is bounded and lives in memory: whoever gets no mail asks again.
final class PasswordResetMailer: PasswordResetQueue, Service {
    private static let maxWaiting = 256
    /// Mails on their way at the same moment, those that wait for another try included.
    private static let maxUnderWay = 16
    /// How long to wait before each further try.
    private static let pauses: [Duration] = [.seconds(1), .seconds(5), .seconds(25)]
    /// What is left to be sent when the server stops gets so long.
    private static let farewell = Duration.seconds(4)

    private let identity: AuthService
    private let delivery: PasswordResetDelivery
    private let client: SMTPClient?
    private let logger: Logger
    private let requests: AsyncStream<String>
    private let entrance: AsyncStream<String>.Continuation
    private let isStopping = Atomic(false)

    init(identity: AuthService, delivery: PasswordResetDelivery, logger: Logger) {
        self.identity = identity
        self.delivery = delivery
        self.logger = logger
        client = if case .mail(let server) = delivery.way { SMTPClient(server) } else { nil }
        (requests, entrance) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maxWaiting))
    }

    func enqueue(email: String) -> Bool {
        if case .enqueued = entrance.yield(email) { true } else { false }
    }

    func run() async throws {
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                var underWay = 0
                for await email in requests {
                    if underWay == Self.maxUnderWay {
                        await group.next()
                        underWay -= 1
                    }
                    group.addTask { await self.serve(email) }
                    underWay += 1
                }
            }
        } onGracefulShutdown: { [self] in
            isStopping.store(true, ordering: .relaxed)
            entrance.finish()
            Task {
                do { try await Task.sleep(for: Self.farewell) } catch { return }
                client?.abort()
            }
        }
    }

    private func serve(_ email: String) async {
        let reset: PasswordReset?
        do throws(AuthError) {
            reset = try await identity.passwordReset(for: email, deadline: .now + .seconds(10))
        } catch {
            logger.error("A request for a new password came to nothing: \(error)")
            return
        }
        guard let reset else { return }
        let link = delivery.link(to: reset.token)
        guard let client else {
            logger.warning(
                "Whoever reads this can set a new password: without SMTP_URL the link goes here instead of into a mail",
                metadata: ["email": "\(reset.email)", "link": "\(link)"])
            return
        }
        guard let message = PasswordResetMail(from: delivery.from, link: link, reset: reset).message else {
            logger.error("An account's address is none that a mail can go to")
            return
        }
        await send(message, by: client)
    }

    private func send(_ message: MailMessage, by client: SMTPClient) async {
        var pauses = Self.pauses[...]
        while true {
            do throws(SMTPError) {
                try await client.send(message)
                logger.info("Sent a mail", metadata: ["mail": "\(message.id)"])
                return
            } catch {
                guard error.isTransient, !isStopping.load(ordering: .relaxed), let pause = pauses.popFirst() else {
                    logger.error("Could not send a mail: \(error)", metadata: ["mail": "\(message.id)"])
                    return
                }
                logger.warning(
                    "Could not send a mail: \(error)",
                    metadata: ["mail": "\(message.id)", "retry_in": "\(pause)"])
                do {
                    try await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) }
                } catch {
                    // The server stops: one more try, now.
                }
            }
        }
    }
}
