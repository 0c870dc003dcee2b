import Auth
import DomainKit
package import HTTPServer
import JSON
import NIOCore
import NIOHTTP1

/// `GET /events`: the feed as server-sent events.
extension ChangeFeed {
    package var endpoint: Endpoint { Endpoint("/events") { await self.respond(to: $0) } }

    private func respond(to request: EndpointRequest) async -> HTTPResponse {
        do throws(CallError) {
            return try await stream(for: request)
        } catch {
            return .refusal(RPCErrorObject(error), requestID: request.context.requestID)
        }
    }

    private func stream(for request: EndpointRequest) async throws(CallError) -> HTTPResponse {
        let authorization = request.context.authorization
        let caller = try await mapError(
            async: await authenticator.caller(authorization, deadline: request.context.deadline),
            CallError.authentication)
        let parameters = try EventParameters(request)
        let filter = try tables.filter(for: caller, tables: parameters.tables, at: "/tables")
        guard hasPlace(for: caller.user.userID) else { throw .execution(.overloaded(retryAfter: 5)) }
        return .events { listener in
            self.add(listener, filter, after: parameters.after, of: caller, authorization: authorization)
        }
    }
}

/// The parameters of the query, and the header by which a client continues.
private struct EventParameters {
    private(set) var tables: [String]?
    private(set) var after: ChangeCursor?

    /// - Throws: all problems, with the names of the parameters as paths.
    init(_ request: EndpointRequest) throws(CallError) {
        guard let query = request.query else { throw .params([ParameterProblem.malformedQuery.problem(at: "")]) }
        var problems: [Problem] = []
        for (name, value) in query {
            let path = "".appendingPointer(name)
            switch name {
            case "tables":
                if tables != nil { problems.append(ParameterProblem.givenTwice.problem(at: path)) }
                tables = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            case "after":
                after = ChangeCursor(value)
                if after == nil { problems.append(ParameterProblem.notACursor.problem(at: path)) }
            default:
                let suggestion = ["tables", "after"].nearest(to: name)
                problems.append(ParameterProblem.unknown(name, suggestion: suggestion).problem(at: path))
            }
        }
        // A client that connects again repeats the first request and adds where it is now.
        if let id = request.headers.first(name: "Last-Event-ID"), !id.isEmpty {
            after = ChangeCursor(id)
            if after == nil { problems.append(ParameterProblem.notACursor.problem(at: "/Last-Event-ID")) }
        }
        guard problems.isEmpty else { throw .params(problems) }
    }
}

extension HTTPResponse {
    /// An error object as the body of an HTTP response, whose status is its code.
    fileprivate static func refusal(_ error: RPCErrorObject, requestID: String) -> HTTPResponse {
        let code = error.kind == .invalidParams ? 400 : error.kind == .internalError ? 500 : error.kind.code
        var body = ByteBuffer(string: "{\"jsonrpc\":\"2.0\",\"error\":")
        body.writeError(
            code: code, name: error.kind.rawValue, message: error.message, details: error.details,
            requestID: requestID)
        body.writeStaticString(",\"id\":null}")
        var headers = [(name: "Cache-Control", value: "no-store")]
        if code == 401 { headers.append((name: "WWW-Authenticate", value: "Bearer")) }
        for case .number("retry_after", let seconds) in error.details {
            headers.append((name: "Retry-After", value: String(seconds)))
        }
        return HTTPResponse(
            status: HTTPResponseStatus(statusCode: code), contentType: "application/json", body: body,
            headers: headers)
    }
}
