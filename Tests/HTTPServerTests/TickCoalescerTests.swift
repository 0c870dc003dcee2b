import NIOCore
import NIOPosix
import Testing

@testable import HTTPServer

@Suite struct TickCoalescerTests {
    @Test func `scheduled work runs once per tick, at its end`() async throws {
        let coalescer = TickCoalescer()
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let order = NIOLoopBoundBox.makeBoxSendingValue([String](), eventLoop: loop)
        for round in ["one", "two"] {
            try await loop.submit {
                order.value = []
                for call in 1...3 {
                    #expect(coalescer.schedule { order.value.append("work") })
                    order.value.append("\(round) \(call)")
                }
            }.get()
            let seen = try await loop.submit { order.value }.get()
            #expect(seen == ["\(round) 1", "\(round) 2", "\(round) 3", "work"])
        }
    }

    @Test func `nothing is scheduled on a thread without an event loop`() {
        #expect(!TickCoalescer().schedule { Issue.record("it must not run") })
    }
}
