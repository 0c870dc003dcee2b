package import NIOCore
package import NIOHTTP1

/// What one HTTP request brings along besides its body.
package struct CallContext: Sendable {
    /// The client's own `X-Request-Id` where it sent a sane one; safe to write into JSON and headers as it is.
    package let requestID: String
    package let headers: HTTPHeaders
    /// The client's address without port; nil on a Unix socket.
    package let remoteAddress: String?
    /// When the answer must be ready; counted from the moment the whole request was there.
    package let deadline: ContinuousClock.Instant
    /// For the answer's buffer.
    package let allocator: ByteBufferAllocator
    private let record: RequestRecord

    package init(
        requestID: String, headers: HTTPHeaders = [:], remoteAddress: String? = nil,
        deadline: ContinuousClock.Instant = .now + .seconds(10), allocator: ByteBufferAllocator = .init(),
        record: RequestRecord = RequestRecord()
    ) {
        self.requestID = requestID
        self.headers = headers
        self.remoteAddress = remoteAddress
        self.deadline = deadline
        self.allocator = allocator
        self.record = record
    }

    /// The `Authorization` header as it was sent.
    package var authorization: String? { headers.first(name: "Authorization") }
    package var userAgent: String? { headers.first(name: "User-Agent") }

    /// Tells what became of one call of this request, for log and metrics: once per call, notifications included.
    package func report(_ call: CallReport) {
        record.add(call)
    }
}
