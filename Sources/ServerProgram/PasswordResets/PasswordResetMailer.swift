import Accounts
import Auth
import Logging
import Mail
import RPCServer
import ServiceLifecycle
import Synchronization

/// Mails reset links in the background.
///
/// The answer to a request waits neither for the query of the account nor for the mail server, so its time does not show
/// whether the account exists. The queue is bounded and kept in memory. Requests in it are lost when the process ends
/// abnormally, and the user may send another one.
final class PasswordResetMailer: PasswordResetQueue, Service {
    private static let maxQueued = 256
    /// The number of mails that are sent at the same time, including those that wait for another attempt.
    private static let maxConcurrent = 16
    /// The pause before each further attempt, unless the server will never take the mail.
    private static let retryDelays: [Duration] = [.seconds(1), .seconds(5), .seconds(25)]
    /// How long mails may still be sent after the server was asked to stop.
    private static let drainTimeout = Duration.seconds(4)

    private let authService: AuthService
    private let delivery: PasswordResetDelivery
    private let client: SMTPClient?
    private let logger: Logger
    private let requests: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation
    private let isStopping = Atomic(false)

    init(authService: AuthService, delivery: PasswordResetDelivery, logger: Logger) {
        self.authService = authService
        self.delivery = delivery
        self.logger = logger
        client = if case .mail(let server) = delivery.channel { SMTPClient(server) } else { nil }
        (requests, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maxQueued))
    }

    func enqueue(email: String) -> Bool {
        if case .enqueued = continuation.yield(email) { true } else { false }
    }

    func run() async throws {
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                var active = 0
                for await email in requests {
                    if active == Self.maxConcurrent {
                        await group.next()
                        active -= 1
                    }
                    group.addTask { await self.handle(email) }
                    active += 1
                }
            }
        } onGracefulShutdown: { [self] in
            isStopping.store(true, ordering: .relaxed)
            continuation.finish()
            Task {
                do { try await Task.sleep(for: Self.drainTimeout) } catch { return }
                client?.abort()
            }
        }
    }

    private func handle(_ email: String) async {
        let reset: PasswordReset?
        do throws(AuthError) {
            reset = try await authService.passwordReset(for: email, deadline: .now + .seconds(10))
        } catch {
            logger.error("Could not handle a request for a password reset: \(error)")
            return
        }
        guard let reset else { return }
        let link = delivery.link(to: reset.token)
        guard let client else {
            logger.warning(
                "SMTP_URL is not set: the reset link is logged instead of mailed, and anyone who reads it can set the password",
                metadata: ["email": "\(reset.email)", "link": "\(link)"])
            return
        }
        guard let message = PasswordResetMail(from: delivery.from, link: link, reset: reset).message else {
            logger.error("Could not send a mail: the e-mail of the account is not a mail address")
            return
        }
        await send(message, by: client)
    }

    private func send(_ message: MailMessage, by client: SMTPClient) async {
        var delays = Self.retryDelays[...]
        while true {
            do throws(SMTPError) {
                try await client.send(message)
                logger.info("Sent a mail", metadata: ["mail": "\(message.id)"])
                return
            } catch {
                guard !error.isFinal, !isStopping.load(ordering: .relaxed), let delay = delays.popFirst() else {
                    logger.error("Could not send a mail: \(error)", metadata: ["mail": "\(message.id)"])
                    return
                }
                logger.warning(
                    "Could not send a mail: \(error)",
                    metadata: ["mail": "\(message.id)", "retry_in": "\(delay)"])
                do {
                    try await cancelWhenGracefulShutdown { try await Task.sleep(for: delay) }
                } catch {
                    // The server stops: the next attempt is the last one, and is made now.
                }
            }
        }
    }
}
