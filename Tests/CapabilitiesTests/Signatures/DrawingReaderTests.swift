import DomainKit
import Glibc
import RPCServer
import Synchronization
import TestSupport
import Testing

@testable import Signatures

/// The drawings of signatories, which are read before they are accepted.
struct DrawingReaderTests {
    private struct UnreadableError: Error {}

    private static func terms(_ accepts: @escaping @Sendable ([UInt8]) throws -> Bool) -> Signatures {
        Signatures(
            name: "signatures", ask: "ask", remind: "remind", cancel: "cancel", download: "download", documents: [],
            consent: "I agree.", acceptsDrawing: accepts
        ) { _, _, _ in [] }
    }

    @Test func `two drawings are read at once, and the others wait`() async throws {
        let reader = DrawingReader()
        let state = Mutex((running: 0, most: 0, isOpen: false))
        let terms = Self.terms { drawing in
            state.withLock {
                $0.running += 1
                $0.most = max($0.most, $0.running)
            }
            while !state.withLock({ $0.isOpen }) { usleep(1_000) }
            state.withLock { $0.running -= 1 }
            return drawing == [1]
        }
        try await withThrowingTaskGroup(of: (accepted: Bool, expected: Bool).self) { group in
            for number in 0..<6 as Range<UInt8> {
                group.addTask {
                    let accepted = try await reader.canRead(
                        [number % 2], of: Int64(number), in: .only, terms, by: .now + .seconds(60))
                    return (accepted, number % 2 == 1)
                }
            }
            try await eventually("two are read and four wait") {
                state.withLock { $0.running } == 2 && reader.turns.load == (running: 2, waiting: 4)
            }
            state.withLock { $0.isOpen = true }
            for try await (accepted, expected) in group { #expect(accepted == expected) }
        }
        #expect(state.withLock { $0.most } == 2)
        #expect(reader.turns.load == (running: 0, waiting: 0))
    }

    @Test func `a drawing that cannot be checked is an error of the service, and ends its turn`() async {
        let reader = DrawingReader()
        let terms = Self.terms { _ in throw UnreadableError() }
        for _ in 1...3 {
            await #expect(throws: ExecutionError.self) {
                _ = try await reader.canRead([1], of: 1, in: .only, terms, by: .now + .seconds(60))
            }
        }
        #expect(reader.turns.load == (running: 0, waiting: 0))
    }
}
