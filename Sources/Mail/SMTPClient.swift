import CCurl
import Dispatch
import Glibc
import Synchronization

/// Why a mail could not be sent. The description contains neither addresses nor content, so that it may be logged.
package struct SMTPError: Error, Sendable, CustomStringConvertible {
    /// The code of the server's reply, such as 550. Nil if there was none.
    package let reply: Int?
    /// Whether another attempt may succeed later.
    package let isTransient: Bool
    package let description: String
}

/// Sends mails with libcurl, which blocks: each transfer runs on a thread of a dispatch queue.
///
/// Its methods may be called from any task.
package final class SMTPClient: Sendable {
    private let server: SMTPServer
    private let connectTimeout: Int
    private let timeout: Int
    private let threads = DispatchQueue(label: "smtp", attributes: .concurrent)
    private let isAborted = Atomic(false)
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// - Parameters:
    ///   - connectTimeout: seconds until the server has greeted the client, and for each of its replies.
    ///   - timeout: seconds for one mail in all.
    package init(_ server: SMTPServer, connectTimeout: Int = 10, timeout: Int = 30) {
        self.server = server
        self.connectTimeout = connectTimeout
        self.timeout = timeout
    }

    /// Returns once the server has accepted the mail. Cancelling the task has no effect; see ``abort()``.
    package func send(_ message: MailMessage) async throws(SMTPError) {
        let outcome: Result<Void, SMTPError> = await withCheckedContinuation { continuation in
            threads.async { [self] in
                continuation.resume(returning: Result { () throws(SMTPError) in try transfer(message) })
            }
        }
        try outcome.get()
    }

    /// Aborts every transfer within about a second, and every later one.
    package func abort() { isAborted.store(true, ordering: .relaxed) }

    /// The text that libcurl has not read yet.
    private final class Source {
        var rest: ArraySlice<UInt8>

        init(_ text: String) { rest = Array(text.utf8)[...] }
    }

    private func transfer(_ message: MailMessage) throws(SMTPError) {
        guard Self.isReady, let handle = curl_easy_init() else {
            throw SMTPError(reply: nil, isTransient: true, description: "libcurl cannot be initialised")
        }
        defer { curl_easy_cleanup(handle) }
        guard let recipients = curl_slist_append(nil, "<\(message.to.address)>") else {
            throw SMTPError(reply: nil, isTransient: true, description: "out of memory")
        }
        defer { curl_slist_free_all(recipients) }
        let source = Source(message.rendered())
        return try withExtendedLifetime(source) { () throws(SMTPError) in
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
            ccurl_set_text(handle, CURLOPT_MAIL_FROM, "<\(message.from.address)>")
            ccurl_set_list(handle, CURLOPT_MAIL_RCPT, recipients)
            ccurl_set_long(handle, CURLOPT_UPLOAD, 1)
            ccurl_set_long(handle, CURLOPT_CONNECTTIMEOUT, connectTimeout)
            ccurl_set_answer_timeout(handle, connectTimeout)
            ccurl_set_long(handle, CURLOPT_TIMEOUT, timeout)
            // Without this, libcurl would use the signal handlers of the whole process for its timeouts.
            ccurl_set_long(handle, CURLOPT_NOSIGNAL, 1)
            ccurl_set_reader(
                handle,
                { buffer, size, count, context in
                    guard let buffer, let context else { return Int(CURL_READFUNC_ABORT) }
                    let source = Unmanaged<Source>.fromOpaque(context).takeUnretainedValue()
                    let piece = source.rest.prefix(size * count)
                    piece.withUnsafeBytes { bytes in
                        if let start = bytes.baseAddress { memcpy(buffer, start, bytes.count) }
                    }
                    source.rest = source.rest.dropFirst(piece.count)
                    return piece.count
                }, Unmanaged.passUnretained(source).toOpaque())
            ccurl_set_progress(
                handle,
                { context, _, _, _, _ in
                    guard let context else { return 1 }
                    let client = Unmanaged<SMTPClient>.fromOpaque(context).takeUnretainedValue()
                    return client.isAborted.load(ordering: .relaxed) ? 1 : 0
                }, Unmanaged.passUnretained(self).toOpaque())
            let code = curl_easy_perform(handle)
            guard code == CURLE_OK else { throw error(code, reply: Int(ccurl_response_code(handle))) }
        }
    }

    private var encryption: curl_usessl {
        switch server.encryption {
        case .always, .required: CURLUSESSL_ALL
        case .offered: CURLUSESSL_TRY
        case .never: CURLUSESSL_NONE
        }
    }

    private func error(_ code: CURLcode, reply: Int) -> SMTPError {
        // RFC 5321: replies from 400 on are transient errors, from 500 on permanent ones.
        let isPermanent =
            (500..<600).contains(reply) || code == CURLE_USE_SSL_FAILED || code == CURLE_LOGIN_DENIED
            || code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE
        let answer = reply >= 400 ? ", its reply was \(reply)" : ""
        return SMTPError(
            reply: reply == 0 ? nil : reply, isTransient: !isPermanent && !isAborted.load(ordering: .relaxed),
            description: String(cString: curl_easy_strerror(code)) + answer)
    }
}
