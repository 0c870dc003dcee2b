import CCurl
import Dispatch
import Glibc
import Synchronization
import Threads

/// The answer to a request.
package struct OutgoingResponse: Sendable {
    package let status: Int
    package let body: [UInt8]
    /// The header `Retry-After`, in seconds, if the server has sent one.
    package let retryAfter: Int?
}

/// Sends HTTP requests to hosts of the internet with libcurl, which blocks: each has a thread of its own.
///
/// The address of a host is checked when the connection is opened, after the name was resolved: a name that changes its address
/// in between gains nothing. Redirects are not followed.
package final class OutgoingHTTPClient: Sendable {
    private static let maxAnswer = 2 << 20
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    package let hosts: OutgoingHosts
    private let timeout: Int
    private let verifiesCertificates: Bool
    private let isAborted = Atomic(false)

    /// - Parameter timeout: seconds for one request in all.
    /// - Parameter verifiesCertificates: false for requests without a secret whose answer need not be trusted.
    package init(_ hosts: OutgoingHosts, timeout: Int = 10, verifiesCertificates: Bool = true) {
        self.hosts = hosts
        self.verifiesCertificates = verifiesCertificates
        self.timeout = timeout
    }

    /// Cancelling the task has no effect; see ``abort()``.
    ///
    /// - Parameter departing: called when there is a connection, before the request is sent; false: it is not sent. Nor is it
    ///   when the answer comes after the timeout.
    package func send(
        _ method: String, to target: OutgoingHosts.Target, headers: [(String, String)], body: [UInt8],
        departing: @escaping @Sendable () async -> Bool = { true }
    ) async throws(OutgoingRequestError) -> OutgoingResponse {
        let noThread = OutgoingRequestError(.notSent, "the system has no thread left")
        return try await BlockingThread.value(name: "outgoing-http", orThrow: noThread) {
            [self] () throws(OutgoingRequestError) in
            try perform(Transfer(target, self, departing), method, headers, body)
        }
    }

    /// Aborts every request within about a second, and every later one.
    package func abort() { isAborted.store(true, ordering: .relaxed) }

    /// What the callbacks of libcurl write.
    private final class Transfer {
        let target: OutgoingHosts.Target
        let client: OutgoingHTTPClient
        var body: [UInt8] = []
        var isRefused = false
        /// Whether some of the request may have been sent.
        var hasBegun = false
        private let deadline: ContinuousClock.Instant
        private let departing: @Sendable () async -> Bool

        init(
            _ target: OutgoingHosts.Target, _ client: OutgoingHTTPClient,
            _ departing: @escaping @Sendable () async -> Bool
        ) {
            self.target = target
            self.client = client
            self.departing = departing
            deadline = .now + .seconds(client.timeout)
        }

        /// Waits for ``departing`` on this thread, which has nothing else to do.
        func begin() -> Bool {
            let answer = Answer()
            Task { [departing] in
                answer.isYes.store(await departing(), ordering: .releasing)
                answer.isThere.signal()
            }
            answer.isThere.wait()
            // libcurl would send the request before it looks at the clock.
            hasBegun = answer.isYes.load(ordering: .acquiring) && ContinuousClock.now < deadline
            return hasBegun
        }

        private final class Answer: Sendable {
            let isYes = Atomic(false)
            let isThere = DispatchSemaphore(value: 0)
        }

        /// Opens the socket of a connection, unless the address is not allowed.
        func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
            let family = address.pointee.family
            if target.mustBePublic {
                guard let found = Self.address(address, family), found.isPublic else {
                    isRefused = true
                    return -1
                }
            }
            return socket(family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
        }

        private static func address(
            _ address: UnsafeMutablePointer<curl_sockaddr>, _ family: Int32
        ) -> NetworkAddress? {
            let start = UnsafeRawPointer(address).advanced(by: ccurl_sockaddr_offset())
            // sockaddr_in: family, port, four bytes. sockaddr_in6: family, port, flow, sixteen bytes.
            switch family {
            case AF_INET: return NetworkAddress((4..<8).map { start.load(fromByteOffset: $0, as: UInt8.self) })
            case AF_INET6: return NetworkAddress((8..<24).map { start.load(fromByteOffset: $0, as: UInt8.self) })
            default: return nil
            }
        }
    }

    private func perform(
        _ transfer: Transfer, _ method: String, _ headers: [(String, String)], _ body: [UInt8]
    ) throws(OutgoingRequestError) -> OutgoingResponse {
        guard Self.isReady, let handle = curl_easy_init() else {
            throw OutgoingRequestError(.notSent, "libcurl cannot be initialised")
        }
        defer { curl_easy_cleanup(handle) }
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        // Without the first, libcurl would wait for "100 Continue".
        for (name, value) in [("Expect", "")] + headers {
            guard (name + value).utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw OutgoingRequestError(.refused, "a header has a control character")
            }
            list = curl_slist_append(list, "\(name): \(value)")
        }
        return try withExtendedLifetime(transfer) { () throws(OutgoingRequestError) in
            ccurl_set_text(handle, CURLOPT_URL, transfer.target.url)
            // Without this, libcurl would take a proxy from the environment, and connect to its address.
            ccurl_set_text(handle, CURLOPT_PROXY, "")
            ccurl_set_text(handle, CURLOPT_CUSTOMREQUEST, method)
            ccurl_set_list(handle, CURLOPT_HTTPHEADER, list)
            ccurl_set_long(handle, CURLOPT_POSTFIELDSIZE, body.count)
            _ = body.withUnsafeBytes { ccurl_copy_body(handle, $0.baseAddress) }
            ccurl_set_long(handle, CURLOPT_TIMEOUT, timeout)
            ccurl_set_long(handle, CURLOPT_NOSIGNAL, 1)
            if !verifiesCertificates {
                ccurl_set_long(handle, CURLOPT_SSL_VERIFYPEER, 0)
                ccurl_set_long(handle, CURLOPT_SSL_VERIFYHOST, 0)
            }
            let context = Unmanaged.passUnretained(transfer).toOpaque()
            ccurl_set_opener(
                handle,
                { context, _, address in
                    guard let context, let address else { return -1 }
                    return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().open(address)
                }, context)
            ccurl_set_beginner(
                handle,
                { context, _, _, _, _ in
                    guard let context else { return Int32(CURL_PREREQFUNC_ABORT) }
                    let mayBegin = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().begin()
                    return Int32(mayBegin ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT)
                }, context)
            ccurl_set_writer(
                handle,
                { buffer, size, count, context in
                    guard let buffer, let context else { return 0 }
                    let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                    let bytes = UnsafeRawBufferPointer(start: buffer, count: size * count)
                    guard transfer.body.count + bytes.count <= OutgoingHTTPClient.maxAnswer else { return 0 }
                    transfer.body += bytes
                    return bytes.count
                }, context)
            ccurl_set_progress(
                handle,
                { context, _, _, _, _ in
                    guard let context else { return 1 }
                    let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                    return transfer.client.isAborted.load(ordering: .relaxed) ? 1 : 0
                }, context)
            let code = curl_easy_perform(handle)
            guard code == CURLE_OK else { throw error(code, transfer) }
            let retryAfter = ccurl_retry_after(handle)
            return OutgoingResponse(
                status: Int(ccurl_response_code(handle)), body: transfer.body,
                retryAfter: retryAfter > 0 ? Int(retryAfter) : nil)
        }
    }

    private func error(_ code: CURLcode, _ transfer: Transfer) -> OutgoingRequestError {
        if transfer.isRefused {
            return OutgoingRequestError(.refused, "the host has an address that is not public")
        }
        let isAborted = isAborted.load(ordering: .relaxed)
        let cause =
            isAborted
            ? "the server stops"
            : code == CURLE_WRITE_ERROR ? "the answer exceeds 2 MiB" : String(cString: curl_easy_strerror(code))
        return OutgoingRequestError(transfer.hasBegun ? (isAborted ? .aborted : .lost) : .notSent, cause)
    }
}
