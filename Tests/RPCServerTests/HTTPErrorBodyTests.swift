import HTTPServer
import JSON
import NIOCore
import Testing

@testable import RPCServer

@Suite struct HTTPErrorBodyTests {
    @Test(arguments: [
        (HTTPError.notFound, 404, #"{"code":"not_found","request_id":"r-1"}"#),
        (.methodNotAllowed(allowed: "POST"), 405, #"{"code":"method_not_allowed","request_id":"r-1"}"#),
        (.unsupportedMediaType, 415, #"{"code":"unsupported_media_type","request_id":"r-1"}"#),
        (
            .bodyTooLarge(max: 1_000), 413,
            #"{"code":"limit_exceeded","limit":"body","max":1000,"request_id":"r-1"}"#
        ),
        (
            .unauthenticated(reason: "expired", max: 65_536), 401,
            #"{"code":"unauthenticated","reason":"expired","limit":"body","max":65536,"request_id":"r-1"}"#
        ),
        (.headersTooLarge, 431, #"{"code":"limit_exceeded","limit":"headers","request_id":"r-1"}"#),
        (.malformed, 400, #"{"code":"bad_request","request_id":"r-1"}"#),
        (.responseDropped, 500, #"{"code":"outcome_unknown","request_id":"r-1"}"#),
        (.overloaded, 503, #"{"code":"unavailable","retryable":true,"request_id":"r-1"}"#),
    ]) func `an HTTP error is a JSON-RPC error object without id`(error: HTTPError, code: Int, data: String) throws {
        let body = String(buffer: try TestService().service.errorBody(error, requestID: "r-1"))
        #expect(body.hasPrefix(#"{"jsonrpc":"2.0","error":{"code":\#(code),"message":""#))
        #expect(body.hasSuffix(#"","data":\#(data)},"id":null}"#))
    }
}
