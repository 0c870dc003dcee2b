import DomainKit
import Foundation
import JSON
import TestSupport

/// One TCP connection to a server on this machine, for complete and for incomplete requests.
/// Blocking calls run on a queue of their own, so that a waiting test never holds a thread of the cooperative pool.
final class HTTPConnection: @unchecked Sendable {
    // Unchecked: `buffer` and `socket` are touched on `queue` only.
    private let socket: Int32
    private var buffer: [UInt8] = []
    private let queue = DispatchQueue(label: "http")

    struct Response: Sendable {
        let status: Int
        /// Names in lower case.
        let headers: [String: String]
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    init(port: Int) throws {
        socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw TestEnvironmentError("socket: \(errno)") }
        // A ceiling for every read, so that a missing answer fails a test and does not hang it.
        var ceiling = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &ceiling, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else {
            let code = errno
            Foundation.close(socket)
            throw TestEnvironmentError("connect: \(code)")
        }
    }

    deinit { Foundation.close(socket) }

    /// Closes the sending half, or both halves, as a client that has disconnected does.
    func shutdown(_ how: Int = Int(SHUT_RDWR)) {
        Foundation.shutdown(socket, Int32(how))
    }

    /// Makes the connection's end a reset, which tells the server at once that its client has gone.
    func resetWhenClosed() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    private func onQueue<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: body)) }
        }
    }

    func send(_ text: String) async throws {
        try await send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) async throws {
        try await onQueue { [self] in
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { throw TestEnvironmentError("send: \(errno)") }
                sent += count
            }
        }
    }

    /// The next response; nil when the server closes without one.
    func receive(isHead: Bool = false) async throws -> Response? {
        try await onQueue { [self] in try readResponse(isHead: isHead) }
    }

    /// Returns true when the server has closed the connection; fails when it does not.
    func isClosedByServer() async throws -> Bool {
        try await onQueue { [self] in
            while try fill() {}
            return true
        }
    }

    /// Receives what comes up to the next `end`, which is left out; nil when the server closes before.
    func receive(upTo end: String) async throws -> String? {
        try await onQueue { [self] in
            let pattern = Array(end.utf8)
            while true {
                if let found = buffer.firstRange(of: pattern) {
                    let text = String(decoding: buffer[..<found.lowerBound], as: UTF8.self)
                    buffer.removeFirst(found.upperBound)
                    return text
                }
                guard try fill() else { return nil }
            }
        }
    }

    /// Keeps the kernel from taking more than a little of what is not received.
    func limitReceiveBuffer() {
        var bytes: Int32 = 4_096
        setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }

    private func fill() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &chunk, chunk.count, 0)
        if count > 0 {
            buffer.append(contentsOf: chunk[..<count])
            return true
        }
        if count == 0 || errno == ECONNRESET { return false }
        throw TestEnvironmentError("recv: \(errno)")
    }

    private func readResponse(isHead: Bool) throws -> Response? {
        let end = Array("\r\n\r\n".utf8)
        var headEnd: Int?
        repeat {
            headEnd = buffer.firstRange(of: end)?.upperBound
            if headEnd == nil, try !fill() {
                guard buffer.isEmpty else { throw TestEnvironmentError("closed inside a head") }
                return nil
            }
        } while headEnd == nil
        guard let headEnd else { return nil }
        let lines = String(decoding: buffer[..<(headEnd - 4)], as: UTF8.self).components(separatedBy: "\r\n")
        buffer.removeFirst(headEnd)
        let words = lines[0].split(separator: " ")
        guard words.count >= 2, let status = Int(words[1]) else {
            throw TestEnvironmentError("not a status line: \(lines[0])")
        }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        }
        if status == 100 { return Response(status: 100, headers: headers, body: []) }
        var body: [UInt8] = []
        if headers["transfer-encoding"] == "chunked" {
            throw TestEnvironmentError("a chunked response is not expected here")
        } else if !isHead, let length = headers["content-length"].flatMap(Int.init) {
            while buffer.count < length {
                guard try fill() else { throw TestEnvironmentError("closed inside a body") }
            }
            body = Array(buffer[..<length])
            buffer.removeFirst(length)
        }
        return Response(status: status, headers: headers, body: body)
    }

    /// Sends a complete request and returns the response.
    func request(
        _ method: String, _ path: String, headers: [(String, String)] = [], body: [UInt8]? = nil
    ) async throws -> Response {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        try await send(Array((head + "\r\n").utf8) + (body ?? []))
        guard let response = try await receive(isHead: method == "HEAD") else {
            throw TestEnvironmentError("the server closed without an answer")
        }
        return response
    }
}

extension [UInt8] {
    fileprivate func firstRange(of pattern: [UInt8]) -> Range<Int>? {
        guard count >= pattern.count else { return nil }
        for start in 0...(count - pattern.count) where self[start..<(start + pattern.count)].elementsEqual(pattern) {
            return start..<(start + pattern.count)
        }
        return nil
    }
}
