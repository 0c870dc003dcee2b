import CCurl
import Dispatch
import Glibc
import Synchronization
import Threads

/// Sends mails with libcurl, which blocks: each transfer has a thread of its own.
///
/// Its methods may be called from any task.
package final class SMTPClient: Sendable {
    private let server: SMTPServer
    private let connectTimeout: Int
    private let timeout: Int
    private let verdictTimeout: Int
    private let isAborted = Atomic(false)
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    /// A reply with more lines is none. libcurl reads on as long as lines come, and looks at no clock meanwhile.
    private static let mostReplyLines = 200
    /// Bytes a second of the slowest connection on which a content arrives.
    private static let slowestRate = 16 << 10

    /// - Parameters:
    ///   - connectTimeout: seconds until the server has greeted the client, and for each of its replies.
    ///   - timeout: seconds until the server has the content of a mail, without the time that a large one takes.
    ///   - verdictTimeout: seconds that the server may take to say whether it takes a content that it has. It looks for viruses
    ///     then, and who does not wait sends the mail twice (RFC 5321, 4.5.3.2.6 and 6.1).
    package init(
        _ server: SMTPServer, connectTimeout: Int = 10, timeout: Int = 30, verdictTimeout: Int = longestVerdict
    ) {
        self.server = server
        self.connectTimeout = connectTimeout
        self.timeout = timeout
        self.verdictTimeout = verdictTimeout
    }

    /// In seconds.
    package static let longestVerdict = 600

    /// Seconds that a content of so many bytes may take beside what any mail takes.
    package static func extraTime(for byteCount: Int) -> Int { byteCount / slowestRate }

    /// Returns once the server has accepted the mail. Cancelling the task has no effect; see ``abort()``.
    ///
    /// - Parameter departing: called when the server is ready for the content, before any of it is sent; false: it is not
    ///   sent. Nor is it when the answer comes after the timeout.
    package func send(
        _ message: MailMessage, departing: @escaping @Sendable () async -> Bool = { true }
    ) async throws(SMTPError) {
        try await perform(Transfer(message.rendered(), by: self, departing)) { handle throws(SMTPError) in
            guard let recipients = curl_slist_append(nil, "<\(message.to.address)>") else {
                throw SMTPError(.interruption, "out of memory")
            }
            ccurl_set_text(handle, CURLOPT_MAIL_FROM, "<\(message.from.address)>")
            ccurl_set_list(handle, CURLOPT_MAIL_RCPT, recipients)
            ccurl_set_long(handle, CURLOPT_UPLOAD, 1)
            return recipients
        }
    }

    /// Returns once the server has accepted the login and the sender of a mail that is never sent.
    package func examine(sender: MailAddress) async throws(SMTPError) {
        let transfer = Transfer("", by: self) { false }
        try await perform(transfer) { handle throws(SMTPError) in
            // libcurl decodes the command as it does the path of a URL.
            let address = sender.address.replacing("%", with: "%25")
            ccurl_set_text(handle, CURLOPT_CUSTOMREQUEST, "MAIL FROM:<\(address)>")
            ccurl_set_long(handle, CURLOPT_NOBODY, 1)
            return nil
        }
        guard server.user == nil || transfer.state.withLock({ $0.dialogue.hasTriedLogin }) else {
            throw SMTPError(.login, "the server offers no login, and SMTP_URL has a user and a password")
        }
    }

    /// Aborts every transfer within about a second, and every later one.
    package func abort() { isAborted.store(true, ordering: .relaxed) }

    /// What the callbacks of libcurl read and write. They run on the thread of the transfer.
    private final class Transfer: Sendable {
        struct State: Sendable {
            /// What libcurl has not read yet.
            var rest: ArraySlice<UInt8>
            var dialogue = SMTPDialogue()
            var hasAsked = false
            /// When the last command was sent; before it, when the transfer began.
            var commandedAt = ContinuousClock.now
            /// Whether some of the content may have been sent.
            var hasBegun = false
            /// Whether libcurl knows that it has all of the content, and ends the mail.
            var completeAt: ContinuousClock.Instant?
            var isOverdue = false
            /// Of the replies to the last command.
            var replyLines = 0
        }

        let state: Mutex<State>
        let client: SMTPClient
        /// Seconds that the content may take beside the timeout.
        let extraTime: Int
        private let deadline: ContinuousClock.Instant
        private let departing: @Sendable () async -> Bool
        /// The last one that was opened; -1 before.
        private let socket = Atomic<Int32>(-1)

        init(_ content: String, by client: SMTPClient, _ departing: @escaping @Sendable () async -> Bool) {
            state = Mutex(State(rest: Array(content.utf8)[...]))
            self.client = client
            self.departing = departing
            extraTime = SMTPClient.extraTime(for: content.utf8.count)
            deadline = .now + .seconds(client.timeout)
        }

        /// Whether the server was not ready for the content in time.
        private var isLate: Bool { ContinuousClock.now >= deadline && state.withLock { !$0.hasBegun } }

        /// Whether the server takes longer than it may for what it has to do now. libcurl has one time for all of its replies.
        func isOverdue() -> Bool {
            let now = ContinuousClock.now
            return state.withLock { state in
                let end =
                    if let completeAt = state.completeAt {
                        // The system takes the end of a content long before the server has it.
                        completeAt + .seconds(extraTime + client.verdictTimeout)
                    } else if state.hasBegun {
                        deadline + .seconds(extraTime)
                    } else {
                        min(deadline, state.commandedAt + .seconds(client.connectTimeout))
                    }
                state.isOverdue = now >= end
                return state.isOverdue
            }
        }

        /// The next piece of the content, which is empty at its end; nil if it is not to be sent.
        func next(_ count: Int) -> ArraySlice<UInt8>? {
            let isFirst = state.withLock { state in
                defer { state.hasAsked = true }
                return !state.hasAsked
            }
            guard !isFirst || mayDepart() && !isLate else { return nil }
            return state.withLock { state in
                state.hasBegun = true
                let piece = state.rest.prefix(count)
                state.rest = state.rest.dropFirst(piece.count)
                if piece.isEmpty { state.completeAt = .now }
                state.dialogue.sentContent()
                return piece
            }
        }

        /// Waits for ``departing`` on this thread, which has nothing else to do.
        private func mayDepart() -> Bool {
            let answer = Answer()
            Task { [departing] in
                answer.isYes.store(await departing(), ordering: .releasing)
                answer.isThere.signal()
            }
            answer.isThere.wait()
            return answer.isYes.load(ordering: .acquiring)
        }

        private final class Answer: Sendable {
            let isYes = Atomic(false)
            let isThere = DispatchSemaphore(value: 0)
        }

        func observe(_ type: curl_infotype, _ line: UnsafeRawBufferPointer) {
            let isEndless = state.withLock { state in
                // libcurl still reads what has come before the connection was shut down, perhaps megabytes of lines.
                guard state.replyLines <= SMTPClient.mostReplyLines else { return false }
                switch type {
                case CURLINFO_HEADER_OUT:
                    state.dialogue.sent(line)
                    state.commandedAt = .now
                    state.replyLines = 0
                case CURLINFO_HEADER_IN:
                    state.dialogue.received(line)
                    state.replyLines += 1
                default: break
                }
                return state.replyLines > SMTPClient.mostReplyLines
            }
            // libcurl then reads the end of the connection.
            if isEndless { shutdown(socket.load(ordering: .relaxed), Int32(SHUT_RDWR)) }
        }

        func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
            let descriptor = Glibc.socket(
                address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
                address.pointee.protocol)
            socket.store(descriptor, ordering: .relaxed)
            return descriptor
        }
    }

    /// - Parameter request: sets what is asked of the server; returns a list that libcurl needs meanwhile.
    private func perform(
        _ transfer: Transfer,
        _ request: @escaping @Sendable (UnsafeMutableRawPointer) throws(SMTPError) -> UnsafeMutablePointer<curl_slist>?
    ) async throws(SMTPError) {
        let noThread = SMTPError(.interruption, "the system has no thread left")
        try await BlockingThread.value(name: "smtp", orThrow: noThread) { [self] () throws(SMTPError) in
            try run(transfer, request)
        }
    }

    private func run(
        _ transfer: Transfer,
        _ request: (UnsafeMutableRawPointer) throws(SMTPError) -> UnsafeMutablePointer<curl_slist>?
    ) throws(SMTPError) {
        guard Self.isReady, let handle = curl_easy_init() else {
            throw SMTPError(.interruption, "libcurl cannot be initialised")
        }
        defer { curl_easy_cleanup(handle) }
        let list = try request(handle)
        defer { curl_slist_free_all(list) }
        return try withExtendedLifetime(transfer) { () throws(SMTPError) in
            ccurl_set_text(handle, CURLOPT_URL, server.url)
            // Without this, libcurl would take an HTTP proxy from the environment.
            ccurl_set_text(handle, CURLOPT_PROXY, "")
            if let user = server.user { ccurl_set_text(handle, CURLOPT_USERNAME, user) }
            if let password = server.password { ccurl_set_text(handle, CURLOPT_PASSWORD, password) }
            ccurl_set_long(handle, CURLOPT_USE_SSL, Int(encryption.rawValue))
            if let file = server.authorities { ccurl_set_text(handle, CURLOPT_CAINFO, file) }
            if !server.verifiesCertificate {
                ccurl_set_long(handle, CURLOPT_SSL_VERIFYPEER, 0)
                ccurl_set_long(handle, CURLOPT_SSL_VERIFYHOST, 0)
            }
            ccurl_set_long(handle, CURLOPT_CONNECTTIMEOUT, connectTimeout)
            // Each phase has a time of its own, which the callback watches that is called about every second.
            ccurl_set_answer_timeout(handle, transfer.extraTime + verdictTimeout)
            ccurl_set_long(handle, CURLOPT_TIMEOUT, timeout + 2 * transfer.extraTime + verdictTimeout)
            // Without this, libcurl would use the signal handlers of the whole process for its timeouts.
            ccurl_set_long(handle, CURLOPT_NOSIGNAL, 1)
            let context = Unmanaged.passUnretained(transfer).toOpaque()
            ccurl_set_reader(
                handle,
                { buffer, size, count, context in
                    guard let buffer, let context,
                        let piece = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().next(size * count)
                    else { return Int(CURL_READFUNC_ABORT) }
                    piece.withUnsafeBytes { bytes in
                        if let start = bytes.baseAddress { memcpy(buffer, start, bytes.count) }
                    }
                    return piece.count
                }, context)
            ccurl_set_opener(
                handle,
                { context, _, address in
                    guard let context, let address else { return -1 }
                    return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().open(address)
                }, context)
            ccurl_set_observer(
                handle,
                { _, type, data, size, context in
                    guard let data, let context else { return 0 }
                    Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                        .observe(type, UnsafeRawBufferPointer(start: data, count: size))
                    return 0
                }, context)
            ccurl_set_progress(
                handle,
                { context, _, _, _, _ in
                    guard let context else { return 1 }
                    let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                    return transfer.client.isAborted.load(ordering: .relaxed) || transfer.isOverdue() ? 1 : 0
                }, context)
            let code = curl_easy_perform(handle)
            guard code == CURLE_OK else { throw error(code, transfer) }
        }
    }

    private var encryption: curl_usessl {
        switch server.encryption {
        case .always, .required: CURLUSESSL_ALL
        case .offered: CURLUSESSL_TRY
        case .never: CURLUSESSL_NONE
        }
    }

    private func error(_ code: CURLcode, _ transfer: Transfer) -> SMTPError {
        let state = transfer.state.withLock { $0 }
        let dialogue = state.dialogue
        let isAborted = isAborted.load(ordering: .relaxed)
        // While libcurl waited for the server, and not while it waited for the permission to send.
        let isLate = !isAborted && code == CURLE_ABORTED_BY_CALLBACK && state.isOverdue
        let cause = String(cString: curl_easy_strerror(isLate ? CURLE_OPERATION_TIMEDOUT : code))
        let reply = dialogue.reply
        if Self.encryptionErrors.contains(code) { return SMTPError(.encryption, reply: reply?.code, cause) }
        if let refusal = dialogue.refusal, let reply {
            return SMTPError(
                refusal.concern, reply: reply.code, isFinal: refusal.isFinal, isDoubtful: refusal.isDoubtful,
                "\(cause), its reply was \(reply.description)")
        }
        if code == CURLE_LOGIN_DENIED { return SMTPError(.login, reply: reply?.code, cause) }
        let isInterrupted = isAborted || code == CURLE_ABORTED_BY_CALLBACK && !isLate
        // The server takes a mail when it has the line that ends it, which libcurl sends after the content.
        return SMTPError(
            isInterrupted ? .interruption : .connection, reply: reply?.code,
            isDoubtful: !isInterrupted && dialogue.knowsRecipient, mayHaveLeft: state.completeAt != nil, cause)
    }

    private static let encryptionErrors = [
        CURLE_USE_SSL_FAILED, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM,
        CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_INITFAILED,
    ]
}
