import Auth
import DomainKit
import HTTPServer
import JSON
import NIOHTTP1
import RPCServer

/// `GET /events`: the feed as server-sent events.
extension ChangeFeed {
    var operation: HTTPOperation { Self.operation(tables.names) }

    var endpoint: Endpoint { Endpoint(operation.path) { await self.respond(to: $0) } }

    private func respond(to request: EndpointRequest) async -> HTTPResponse {
        do throws(CallError) {
            return try await stream(for: request)
        } catch {
            return .refusal(RPCErrorObject(error), to: request)
        }
    }

    private func stream(for request: EndpointRequest) async throws(CallError) -> HTTPResponse {
        let authorization = request.context.authorization
        let caller = try await mapError(
            async: await authenticator.servedCaller(authorization, deadline: request.context.deadline),
            CallError.authentication)
        let parameters = try EventParameters(request)
        let filter = try tables.filter(for: caller, in: caller.company, tables: parameters.tables, at: "/tables")
        guard hasPlace(for: caller.user.accountID) else { throw .execution(.overloaded(retryAfter: 5)) }
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
        guard let query = request.query else { throw .params([FeedProblem.malformedQuery.problem(at: "")]) }
        var problems: [Problem] = []
        var hasAfter = false
        for (name, value) in query {
            let path = "".appendingPointer(name)
            switch ChangeFeed.QueryName(rawValue: name) {
            case .tables:
                if tables != nil { problems.append(ParameterProblem.givenTwice.problem(at: path)) }
                tables = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            case .after:
                if hasAfter { problems.append(ParameterProblem.givenTwice.problem(at: path)) }
                hasAfter = true
                after = ChangeCursor(value)
                if after == nil { problems.append(FeedProblem.notACursor.problem(at: path)) }
            case nil:
                let suggestion = ChangeFeed.QueryName.allCases.map(\.rawValue).nearest(to: name)
                problems.append(ParameterProblem.unknown(name, suggestion: suggestion).problem(at: path))
            }
        }
        // A client that connects again repeats the first request and adds where it is now.
        if let id = request.headers.first(name: ChangeFeed.lastEventID), !id.isEmpty {
            after = ChangeCursor(id)
            if after == nil {
                problems.append(FeedProblem.notACursor.problem(at: "".appendingPointer(ChangeFeed.lastEventID)))
            }
        }
        guard problems.isEmpty else { throw .params(problems) }
    }
}
