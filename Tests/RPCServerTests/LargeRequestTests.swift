import HTTPServer
import JSON
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import RPCServer

@Suite struct LargeRequestTests {
    /// Counts the jobs that it is given.
    private final class CountingExecutor: TaskExecutor {
        let jobs = Atomic(0)

        func enqueue(_ job: consuming ExecutorJob) {
            jobs.wrappingAdd(1, ordering: .relaxed)
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// How many jobs the call of a method ran off the event loop.
    private func jobs(_ body: String) async throws -> Int {
        let executor = CountingExecutor()
        let context = RequestContext(requestID: "r-1", offLoop: executor)
        let response = try await TestService().service.respond(to: ByteBuffer(string: body), context)
        #expect(response.body.map { String(buffer: $0).contains("\"result\":") } ?? false)
        return executor.jobs.load(ordering: .relaxed)
    }

    private func note(_ text: String) -> String {
        #"{"jsonrpc":"2.0","id":1,"method":"note","params":{"text":\#(text)}}"#
    }

    @Test func `a request of more than 32 KiB is read off the event loop, a smaller one on it`() async throws {
        #expect(try await jobs(note("1")) == 0)
        #expect(try await jobs(note("1") + String(repeating: " ", count: 32_000)) == 0)
        #expect(try await jobs(note("1") + String(repeating: " ", count: 33_000)) > 0)
        #expect(try await jobs("[\(note("1")),\(note("2"))]" + String(repeating: " ", count: 33_000)) > 0)
    }

    @Test func `the calls of a large request are planned off the event loop and executed on it`() async throws {
        let executor = CountingExecutor()
        let stages = EventRecorder<String>()
        let isOffLoop: @Sendable () -> Bool = {
            withUnsafeCurrentTask { $0?.unownedTaskExecutor == executor.asUnownedTaskExecutor() }
        }
        let method = Method(name: "m", summary: "", rights: .anyone, parameters: [], result: .object) { _, _ in
            stages.record("planned off the loop: \(isOffLoop())")
            return .work { _ throws(ExecutionError) in
                stages.record("executed off the loop: \(isOffLoop())")
                return .value(.null)
            }
        }
        let body = #"{"jsonrpc":"2.0","id":1,"method":"m"}"# + String(repeating: " ", count: 33_000)
        let context = RequestContext(requestID: "r-1", offLoop: executor)
        _ = try await TestService(methods: [method]).service.respond(to: ByteBuffer(string: body), context)
        #expect(stages.all == ["planned off the loop: true", "executed off the loop: false"])
    }

    @Test func `a large request whose client has gone before its turn is not read`() async throws {
        let service = try TestService()
        let body = ByteBuffer(string: note("1") + String(repeating: " ", count: 33_000))
        await withTaskGroup(of: Void.self) { group in
            group.cancelAll()
            group.addTask {
                let context = RequestContext(requestID: "r-1", offLoop: CountingExecutor())
                _ = await service.service.respond(to: body, context)
            }
        }
        #expect(service.notes.all.isEmpty)
    }
}
