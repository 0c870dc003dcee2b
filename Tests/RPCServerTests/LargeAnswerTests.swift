import JSON
import NIOCore
import TestSupport
import Testing

@testable import QueryCompiler
@testable import RPCServer

/// mends.md, 7: what one caller asks for at once does not fill the memory.
struct LargeAnswerTests {
    /// Calls that wait until the test ends them.
    private final class Work: Sendable {
        private let waiting = LockedValue<[CheckedContinuation<Void, Never>]>([])

        var running: Int { waiting.withLock { $0.count } }

        func run() async {
            await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
        }

        func endAll() {
            for one in waiting.withLock({ waiting in
                defer { waiting = [] }
                return waiting
            }) { one.resume() }
        }
    }

    private static func method(_ name: String, rows: Int, _ work: Work) -> Method {
        Method(name: name, summary: "", rights: .signedIn, parameters: [], result: .object) { _, _ in
            .work(cost: CallCost(rows: rows, width: 1_000, parameterBytes: 0)) { _ throws(ExecutionError) in
                await work.run()
                return .value([:])
            }
        }
    }

    private static func body(_ method: String) -> String { #"{"jsonrpc":"2.0","id":1,"method":"\#(method)"}"# }

    @Test func `of the large answers of one account few are made at once, and small ones do not wait for them`()
        async throws
    {
        let (large, small) = (Work(), Work())
        let test = try TestService(
            methods: [Self.method("large", rows: 100, large), Self.method("small", rows: 1, small)])
        func send(_ body: String) -> Task<String?, Never> { Task { await test.answer(body) } }
        let batch = "[" + Array(repeating: Self.body("small"), count: 2).joined(separator: ",") + "]"
        let calls = (0..<40).map { _ in send(Self.body("large")) }
        try await eventually("some are executed") { large.running == 8 }
        let others = (0..<20).map { _ in send(Self.body("small")) } + [send(batch)]
        try await eventually("all small ones are executed") { small.running == 22 }
        #expect(large.running == 8)
        small.endAll()
        for call in others { #expect(await call.value?.contains("result") == true) }
        for _ in 0..<5 {
            try await eventually("the next ones are executed") { large.running == 8 }
            large.endAll()
        }
        for call in calls { #expect(await call.value?.contains("result") == true) }
    }
}
