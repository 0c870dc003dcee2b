package import HTTPServer
import NIOCore
import NIOHTTP1

extension HTTPResponse {
    /// An error object as the body of an HTTP response. The code is the status.
    package static func refusal(_ error: RPCErrorObject, requestID: String) -> HTTPResponse {
        let code = error.kind == .invalidParams ? 400 : error.kind == .internalError ? 500 : error.kind.code
        return refusal(
            code, name: error.kind.rawValue, error.message, details: error.details, requestID: requestID)
    }

    /// The same for a request beside `/rpc`. If the company has moved, it is sent on to the same path there.
    package static func refusal(_ error: RPCErrorObject, to request: EndpointRequest) -> HTTPResponse {
        var response = refusal(error, requestID: request.context.requestID)
        if let place = error.place, request.context.sendsOn {
            response.status = .permanentRedirect
            response.headers.append((name: "Location", value: place + request.target))
        }
        return response
    }

    /// - Parameter code: the status, and the code of the error object.
    package static func refusal(
        _ code: Int, name: String, _ message: String, details: [RPCErrorObject.Detail] = [], requestID: String
    ) -> HTTPResponse {
        var body = ByteBuffer(string: "{\"jsonrpc\":\"2.0\",\"error\":")
        body.writeError(code: code, name: name, message: message, details: details, requestID: requestID)
        body.writeStaticString(",\"id\":null}")
        var headers = [(name: "Cache-Control", value: "no-store")]
        if code == 401 { headers.append((name: "WWW-Authenticate", value: "Bearer")) }
        if code == 503 { headers.append((name: "Retry-After", value: "5")) }
        for case .number("retry_after", let seconds) in details {
            headers.append((name: "Retry-After", value: String(seconds)))
        }
        return HTTPResponse(
            status: HTTPResponseStatus(statusCode: code), contentType: "application/json", body: body,
            headers: headers)
    }
}
