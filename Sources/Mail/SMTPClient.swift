import CCurl
import Dispatch
import Glibc
import Synchronization

/// Why a mail was not handed in. Its description names no address and no content.
package struct SMTPError: Error, Sendable, CustomStringConvertible {
    /// The server's answer, such as 550; nil when there was none.
    package let reply: Int?
    /// Whether it may go better in a while.
    package let isTransient: Bool
    package let description: String
}

/// Hands mails in, over libcurl, on threads of its own: libcurl blocks.
package final class SMTPClient: Sendable {
    private let server: SMTPServer
    private let connectTimeout: Int
    private let timeout: Int
    private let threads = DispatchQueue(label: "smtp", attributes: .concurrent)
    private let isAborted = Atomic(false)
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// - Parameters:
    ///   - connectTimeout: seconds until the server greets.
    ///   - timeout: seconds for all of one mail.
    package init(_ server: SMTPServer, connectTimeout: Int = 10, timeout: Int = 30) {
        self.server = server
        self.connectTimeout = connectTimeout
        self.timeout = timeout
    }

    package func send(_ message: MailMessage) async throws(SMTPError) {
        let outcome: Result<Void, SMTPError> = await withCheckedContinuation { continuation in
            threads.async { [self] in
                continuation.resume(returning: Result { () throws(SMTPError) in try handIn(message) })
            }
        }
        try outcome.get()
    }

    /// Gives up what is under way and all that would follow, within a second.
    package func abort() { isAborted.store(true, ordering: .relaxed) }

    /// What libcurl reads of the message.
    private final class Source {
        var rest: ArraySlice<UInt8>

        init(_ text: String) { rest = Array(text.utf8)[...] }
    }

    private func handIn(_ message: MailMessage) throws(SMTPError) {
        guard Self.isReady, let handle = curl_easy_init() else {
            throw SMTPError(reply: nil, isTransient: true, description: "libcurl cannot be started")
        }
        defer { curl_easy_cleanup(handle) }
        guard let recipients = curl_slist_append(nil, "<\(message.to.address)>") else {
            throw SMTPError(reply: nil, isTransient: true, description: "no memory")
        }
        defer { curl_slist_free_all(recipients) }
        let source = Source(message.rendered())
        return try withExtendedLifetime(source) { () throws(SMTPError) in
            ccurl_set_text(handle, CURLOPT_URL, server.url)
            // No variable of the environment shall send mails through a proxy of web pages.
            ccurl_set_text(handle, CURLOPT_PROXY, "")
            if let user = server.user { ccurl_set_text(handle, CURLOPT_USERNAME, user) }
            if let password = server.password { ccurl_set_text(handle, CURLOPT_PASSWORD, password) }
            ccurl_set_long(handle, CURLOPT_USE_SSL, Int(encryption.rawValue))
            if let file = server.authorities { ccurl_set_text(handle, CURLOPT_CAINFO, file) }
            if !server.mustProveItself {
                ccurl_set_long(handle, CURLOPT_SSL_VERIFYPEER, 0)
                ccurl_set_long(handle, CURLOPT_SSL_VERIFYHOST, 0)
            }
            ccurl_set_text(handle, CURLOPT_MAIL_FROM, "<\(message.from.address)>")
            ccurl_set_list(handle, CURLOPT_MAIL_RCPT, recipients)
            ccurl_set_long(handle, CURLOPT_UPLOAD, 1)
            ccurl_set_long(handle, CURLOPT_CONNECTTIMEOUT, connectTimeout)
            ccurl_set_answer_timeout(handle, connectTimeout)
            ccurl_set_long(handle, CURLOPT_TIMEOUT, timeout)
            // Its timeouts must not be signals: those belong to the whole process.
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
            guard code == CURLE_OK else { throw fault(code, reply: Int(ccurl_response_code(handle))) }
        }
    }

    private var encryption: curl_usessl {
        switch server.encryption {
        case .always, .required: CURLUSESSL_ALL
        case .offered: CURLUSESSL_TRY
        case .never: CURLUSESSL_NONE
        }
    }

    private func fault(_ code: CURLcode, reply: Int) -> SMTPError {
        // A server that has taken the mail for good says so by a reply below 400; one of 500 and more means never.
        let isFinal =
            (500..<600).contains(reply) || code == CURLE_USE_SSL_FAILED || code == CURLE_LOGIN_DENIED
            || code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE
        let answer = reply >= 400 ? ", its reply was \(reply)" : ""
        return SMTPError(
            reply: reply == 0 ? nil : reply, isTransient: !isFinal && !isAborted.load(ordering: .relaxed),
            description: String(cString: curl_easy_strerror(code)) + answer)
    }
}
