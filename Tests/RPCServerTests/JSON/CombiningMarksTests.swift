import DomainKit
import JSON
import NIOCore
import Testing

@testable import RPCServer

/// Swift puts the combining marks of texts it compares in order, in time that grows with the square of how many there are:
/// 80 kB of them held a server up for three seconds, and a body has room for twelve times as many.
@Suite
struct CombiningMarksTests {
    private static let marks = String(repeating: "\u{315}\u{300}\u{5AE}", count: 50_000)

    static let bodies = [
        #"{"jsonrpc":"2.0","id":1,"method":"a.b","params":{"m\#(marks)":1,"m\#(marks)x":1}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"a.b","m\#(marks)":1}"#,
        #"{"jsonrpc":"2.0\#(marks)","id":1,"method":"a.b"}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"a.b\#(marks)"}"#,
    ]

    @Test(arguments: bodies.indices) func `combining marks out of order cost no more time than other names`(
        of index: Int
    ) async throws {
        let service = try await Bookshop.service()
        let taken = try ContinuousClock().measure {
            guard
                case .single(.request(let request)) = try Envelope.decode(
                    ByteBuffer(string: Self.bodies[index]), limits: EnvelopeLimits())
            else { return }
            _ = try? service.methods.method(named: request.method)
        }
        #expect(taken < .seconds(2))
    }
}
