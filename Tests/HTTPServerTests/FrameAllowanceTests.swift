import Testing

@testable import HTTPServer

@Suite struct FrameAllowanceTests {
    private static let second: UInt64 = 1_000_000_000
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private static func frames(_ kind: UInt8, _ count: Int, payload: Int = 4) -> [UInt8] {
        let length = [UInt8(payload >> 16), UInt8(payload >> 8 & 0xFF), UInt8(payload & 0xFF)]
        // The payload looks like the beginning of other frames.
        let frame = length + [kind, 0, 0, 0, 0, 1] + [UInt8](repeating: 8, count: payload)
        return (0..<count).flatMap { _ in frame }
    }

    /// - Parameter pieces: of so many bytes each.
    private static func takes(
        _ bytes: [UInt8], in pieces: Int = 100_000, at now: UInt64 = 0, _ allowance: inout FrameAllowance
    ) -> Bool {
        stride(from: 0, to: bytes.count, by: pieces).allSatisfy { start in
            bytes[start..<min(start + pieces, bytes.count)].withUnsafeBytes { allowance.received($0, now: now) }
        }
    }

    @Test(arguments: [7, 8, 10, 11, 0x20, 0xFF] as [UInt8], [1, 13, 4_096])
    func `a thousand frames that ask for nothing are taken, and no more`(kind: UInt8, pieces: Int) {
        var allowance = FrameAllowance(now: 0)
        #expect(Self.takes(Self.preface + Self.frames(kind, 1_000), in: pieces, &allowance))
        #expect(!Self.takes(Self.frames(kind, 1), in: pieces, &allowance))
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 9] as [UInt8], [0, 4, 300])
    func `frames that others limit do not count`(kind: UInt8, payload: Int) {
        var allowance = FrameAllowance(now: 0)
        #expect(Self.takes(Self.preface + Self.frames(kind, 3_000, payload: payload), in: 7, &allowance))
    }

    @Test func `each second allows some more, and a long silence no more than a thousand`() {
        var allowance = FrameAllowance(now: 0)
        #expect(Self.takes(Self.preface + Self.frames(8, 1_000), &allowance))
        #expect(Self.takes(Self.frames(8, 100), at: Self.second, &allowance))
        #expect(Self.takes(Self.frames(8, 1_000), at: 1_000 * Self.second, &allowance))
        #expect(!Self.takes(Self.frames(8, 1), at: 1_000 * Self.second, &allowance))
    }

    @Test func `a client that reads much may answer each part with two frames`() {
        var allowance = FrameAllowance(now: 0)
        #expect(Self.takes(Self.preface, &allowance))
        for _ in 0..<10 {
            for _ in 0..<1_000 { allowance.partSent() }
            #expect(Self.takes(Self.frames(8, 2_000), &allowance))
        }
    }
}
