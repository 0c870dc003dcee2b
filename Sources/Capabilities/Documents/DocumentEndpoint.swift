import Auth
import DomainKit
import HTTPServer
import JSON
import NIOHTTP1
import RPCServer

/// `GET /documents/…`: answers a link with the document that it opens.
struct DocumentEndpoint: Sendable {
    let identity: AuthService
    let installation: Installation
    /// By the name of the method that has made the link.
    let openings: [String: LinkedMethod.Opening]
    /// The methods whose documents count in the usage of the company: what is made, not what was given. Nor do calendars count that
    /// programs fetch by a subscription.
    let counted: Set<String>

    static let operation = HTTPOperation(
        path: DocumentLinks.path + "{token}", summary: "Ouvre le document d’un lien, sans jeton d’accès.",
        parameters: [
            .init(
                name: "token", place: .path, schema: ["type": "string"],
                summary: "La fin du lien qu’a donné une méthode qui fait des documents.")
        ])

    var endpoint: Endpoint { Endpoint(DocumentLinks.path) { await self.respond(to: $0) } }

    private func respond(to request: EndpointRequest) async -> HTTPResponse {
        let record = CallRecord()
        let context = CallContext(request.context, record: record)
        var clock = StageClock()
        var response: HTTPResponse
        do throws(DocumentError) {
            // A part of one, or its head alone, is no further document.
            let isWhole = request.method == .GET && request.headers.first(name: "Range") == nil
            let document = try await document(request.subpath, isCounted: isWhole, context, &clock)
            response = .document(document, for: request)
            clock.lap(.write)
            var report = clock.report(of: nil)
            report.warnings = document.warnings
            record.add(report)
        } catch {
            switch error {
            case .link(.closed(.moved(let place))):
                response = .refusal(RPCErrorObject(.execution(.closed(.moved(to: place)))), to: request)
            case .link(let error) where error.opensNothing && request.headers.prefersPage:
                response = .closedLink(
                    error.status, error.message, forGood: error.hasEnded, home: home(for: request.subpath))
            case .link(let error):
                response = .refusal(
                    error.status, name: error.name, error.message, details: error.details,
                    requestID: request.context.requestID)
            case .call(let error):
                let error = RPCErrorObject(error)
                response = .refusal(error, to: request)
                record.add(clock.report(of: error))
            }
        }
        response.record = record
        return response
    }

    /// The application, in the company of a link that opens nothing.
    private func home(for token: String) -> String {
        let company = identity.company(ofLink: token)
        return (company.map { installation.pageBeginning(of: Company(id: $0)) } ?? "") + "/"
    }

    private func document(
        _ token: String, isCounted: Bool, _ context: CallContext, _ clock: inout StageClock
    ) async throws(DocumentError) -> Document {
        let linked = try await mapError(
            async: await identity.open(linkToken: token, deadline: context.deadline), DocumentError.init(link:))
        clock.lap(.authenticate)
        guard let open = openings[linked.method] else { throw .link(.unknown) }
        clock.method = linked.method
        let document = try await open(linked, context, &clock)
        if isCounted, counted.contains(linked.method), !linked.isSubscribed {
            identity.noteDocument(of: linked.user.company)
        }
        return document
    }
}

extension DocumentLinkError {
    /// Whether it opens nothing now.
    fileprivate var opensNothing: Bool { if case .undecided = self { false } else { true } }

    /// Whether it opens nothing now or later.
    fileprivate var hasEnded: Bool {
        switch self {
        case .unknown, .expired, .revoked: true
        case .closed, .undecided: false
        }
    }

    fileprivate var details: [RPCErrorObject.Detail] {
        if case .closed(.suspended) = self { [.text("reason", "suspended")] } else { [] }
    }

    fileprivate var status: Int {
        switch self {
        case .unknown: 404
        case .expired: 410
        case .revoked, .closed: 403
        case .undecided: 503
        }
    }

    fileprivate var name: String {
        switch self {
        case .unknown: "not_found"
        case .expired: "gone"
        case .revoked, .closed: "forbidden"
        case .undecided: "unavailable"
        }
    }
}
