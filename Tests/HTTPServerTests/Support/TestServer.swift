import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import TestSupport

@testable import HTTPServer

/// A handler that responds with the result of a closure.
struct Answers: RequestHandler {
    let answer: @Sendable (ByteBuffer, RequestContext) async -> HandlerResponse

    /// Responds with the body of the request.
    static let echo = Answers { body, _ in .json(body) }

    func respond(to body: ByteBuffer, _ context: RequestContext) async -> HandlerResponse {
        await answer(body, context)
    }

    func admission(of authorization: String?) -> Admission {
        switch authorization {
        case "Bearer valid": .authenticated
        case nil: .anonymous(reason: "missing")
        default: .anonymous(reason: "invalid")
        }
    }

    func errorBody(_ error: HTTPError, requestID: String) -> ByteBuffer {
        ByteBuffer(string: "\(error.code) \(requestID)")
    }
}

extension HandlerResponse {
    static func json(_ body: ByteBuffer) -> HandlerResponse { HandlerResponse(body: body) }
    static var noContent: HandlerResponse { HandlerResponse(body: nil) }
}

extension EventRecorder: RequestObserver where Event == RequestEvent {
    func observe(_ event: RequestEvent) { record(event) }
}

/// A server on a free port, for the duration of a test.
struct TestServer {
    let port: Int
    let server: HTTPServer
    private let group: ServiceGroup
    private let ended: Flag

    static func run(
        _ answering: Answers = .echo, endpoints: [Endpoint] = [.live], observers: [any RequestObserver] = [],
        configure: (inout HTTPConfiguration) -> Void = { _ in },
        _ body: (TestServer) async throws -> Void
    ) async throws {
        var configuration = HTTPConfiguration()
        configuration.port = 0
        configure(&configuration)
        let (ports, found) = AsyncStream.makeStream(of: Int.self)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let server = HTTPServer(
            configuration: configuration, handler: answering, endpoints: endpoints, observers: observers,
            logger: logger, onListening: { found.yield($0) })
        let group = ServiceGroup(services: [server], logger: logger)
        let ended = Flag()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer {
                    ended.set()
                    found.finish()
                }
                try await group.run()
            }
            var first = ports.makeAsyncIterator()
            guard let port = await first.next() else {
                try await tasks.waitForAll()
                return
            }
            let running = TestServer(port: port, server: server, group: group, ended: ended)
            do {
                try await body(running)
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    func connect() async throws -> TestConnection { try await TestConnection.open(port: port) }

    /// Sends one request on a connection of its own and returns the response.
    func send(_ request: String) async throws -> TestResponse {
        let connection = try await connect()
        connection.send(request)
        let response = try await connection.response(isHead: request.hasPrefix("HEAD"))
        connection.close()
        return response
    }

    func shutDown() async { await group.triggerGracefulShutdown() }
    var hasEnded: Bool { ended.isSet }
}

func post(_ body: String, headers: String = "") -> String {
    "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\(headers)"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
}
