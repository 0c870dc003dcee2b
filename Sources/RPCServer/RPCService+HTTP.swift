import Auth
package import HTTPServer
import JSON
package import NIOCore
import NIOHTTP1

/// The body that answers an HTTP request's calls.
package enum RPCResponseBody: Sendable {
    /// `retryAfter`, in seconds, is that of an error which is the whole answer. `place` is where all calls are answered, since their
    /// company has moved there.
    case json(ByteBuffer, retryAfter: Int? = nil, place: String? = nil)
    /// There were only notifications. `place` as above: one is sent on, too.
    case noContent(place: String?)
}

extension RPCService: RequestHandler {
    package func respond(to body: ByteBuffer, _ context: RequestContext) async -> HandlerResponse {
        let record = CallRecord()
        let start = NIODeadline.now()
        let answer = await answer(body, CallContext(context, record: record))
        let timing =
            record.isOfAdministrator
            ? ServerTiming.header(of: record.calls, total: (.now() - start).nanoseconds) : nil
        return switch answer {
        case .json(let body, let retryAfter, let place):
            HandlerResponse(
                body: body, record: record, location: location(of: place, context),
                retryAfter: retryAfter, serverTiming: timing, setCookie: record.cookie)
        case .noContent(let place):
            HandlerResponse(
                body: nil, record: record, location: location(of: place, context), serverTiming: timing,
                setCookie: record.cookie)
        }
    }

    private func location(of place: String?, _ context: RequestContext) -> String? {
        context.sendsOn ? place.map { $0 + "/rpc" } : nil
    }

    package func admission(of authorization: String?) -> Admission {
        do throws(TokenError) {
            try verify(authorization)
            return .authenticated
        } catch {
            return .anonymous(reason: error.rawValue)
        }
    }

    /// A JSON-RPC error object with `id: null`. Its code is the response's status.
    package func errorBody(_ error: HTTPError, requestID: String) -> ByteBuffer {
        var body = ByteBuffer()
        body.writeStaticString("{\"jsonrpc\":\"2.0\",\"error\":")
        body.writeError(
            code: Int(error.status.code), name: error.code, message: error.message,
            details: error.facts.map(RPCErrorObject.Detail.init), requestID: requestID)
        body.writeStaticString(",\"id\":null}")
        return body
    }
}

extension RPCErrorObject.Detail {
    fileprivate init(_ fact: HTTPError.Fact) {
        self =
            switch fact {
            case .text(let name, let text): .text(name, text)
            case .number(let name, let number): .number(name, number)
            case .flag(let name, let isTrue): .flag(name, isTrue)
            }
    }
}
