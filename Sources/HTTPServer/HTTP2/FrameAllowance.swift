/// Limits the frames of HTTP/2 that ask for nothing: WINDOW_UPDATE, GOAWAY, and those of unknown types. A client may send as
/// many as it likes at no cost, while each takes the server's time. NIO limits the other frames that only control a
/// connection.
///
/// A client that reads answers a frame with one WINDOW_UPDATE for the stream and one for the connection. So each part that
/// was sent allows further frames, and a client that only sends them has few.
///
/// It reads the beginnings of frames in the bytes of one connection, and nothing else of them. It reads no clock.
struct FrameAllowance {
    /// A point in time, in nanoseconds.
    typealias Time = UInt64

    /// How many frames a client may send at once when nothing was sent to it.
    private static let atOnce = 1_000
    /// How many more with each second.
    private static let perSecond = 100
    /// How many more with each part that was sent.
    private static let perSentPart = 4
    private static let most = 50_000

    /// In bytes.
    private static let prefaceLength = 24
    private static let headerLength = 9
    /// From DATA (0) to CONTINUATION (9), without GOAWAY (7) and WINDOW_UPDATE (8).
    private static let limitedElsewhere: Set<UInt8> = [0, 1, 2, 3, 4, 5, 6, 9]

    private var left = Self.atOnce
    private var refilledAt: Time
    /// How many bytes to pass over before the next header.
    private var passing = Self.prefaceLength
    private var headerBytes = 0
    private var payloadLength = 0
    private var kind: UInt8 = 0

    init(now: Time) {
        refilledAt = now
    }

    /// Something was sent to the client.
    mutating func partSent() {
        left = min(left + Self.perSentPart, Self.most)
    }

    /// - Returns: false if the client has sent too many frames.
    mutating func received(_ bytes: UnsafeRawBufferPointer, now: Time) -> Bool {
        refill(now)
        var position = 0
        while position < bytes.count {
            guard passing == 0 else {
                let passed = min(passing, bytes.count - position)
                passing -= passed
                position += passed
                continue
            }
            switch headerBytes {
            case 0..<3: payloadLength = payloadLength << 8 | Int(bytes[position])
            case 3: kind = bytes[position]
            default: break
            }
            headerBytes += 1
            position += 1
            guard headerBytes == Self.headerLength else { continue }
            passing = payloadLength
            (headerBytes, payloadLength) = (0, 0)
            guard !Self.limitedElsewhere.contains(kind) else { continue }
            left -= 1
            guard left >= 0 else { return false }
        }
        return true
    }

    private mutating func refill(_ now: Time) {
        let seconds = (now - refilledAt) / 1_000_000_000
        guard seconds > 0 else { return }
        refilledAt = now
        left = max(left, min(left + Int(seconds) * Self.perSecond, Self.atOnce))
    }
}
