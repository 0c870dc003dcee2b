import Auth
import DomainKit
package import HTTPServer
import NIOCore
import NIOHTTP1
import SigningPage
import TextEncodings

/// `/signatures/<token>`: the page on which a document is signed, for people without an account. Who has the link may sign.
package struct SignatureEndpoint: Sendable {
    /// The largest drawing, in bytes.
    private static let maxDrawing = 45_000
    /// The most pixels of a side of a drawing.
    private static let longestSide = 2_000
    private static let maxName = 150
    private static let documentPath = "/document"

    let identity: AuthService
    let store: SignatureStore
    let completion: SignatureCompletion
    /// The sentence that the signatories agree to, by the name of the signatures.
    let consents: [String: String]

    package var endpoint: Endpoint {
        Endpoint(SignatureLinks.path, methods: [.GET, .HEAD, .POST], bodyBytes: 64 * 1_024) { await respond(to: $0) }
    }

    private func respond(to request: EndpointRequest) async -> HTTPResponse {
        let asksDocument = request.subpath.hasSuffix(Self.documentPath)
        let token = asksDocument ? String(request.subpath.dropLast(Self.documentPath.count)) : request.subpath
        do throws(ExecutionError) {
            guard let id = identity.signatureLink(of: token),
                let link = try await store.link(id, deadline: request.context.deadline)
            else { return .page(.refusal(.unknown), 404) }
            if asksDocument {
                guard request.method != .POST else { return .page(.refusal(.unknown), 404) }
                return try await document(of: link, request)
            }
            guard link.state == .open, consents[link.kind] != nil else { return refusal(of: link, token) }
            return request.method == .POST
                ? try await sign(link, id, token, request) : try await form(link, id, token, request)
        } catch {
            var response = HTTPResponse.page(.refusal(.unavailable), 503)
            response.headers.append((name: "Retry-After", value: "5"))
            return response
        }
    }

    // MARK: Showing

    private func form(
        _ link: SignatureLink, _ id: String, _ token: String, _ request: EndpointRequest
    ) async throws(ExecutionError) -> HTTPResponse {
        // HEAD is what programs send that look at the links of a mail.
        if !link.isOpened, request.method == .GET {
            try await store.open(id, requestID: request.context.requestID, deadline: request.context.deadline)
        }
        return .page(.form(invitation(link, token), name: link.signatory), 200)
    }

    private func invitation(_ link: SignatureLink, _ token: String) -> SigningPage.Invitation {
        SigningPage.Invitation(
            token: token, document: link.name.withoutExtension, signatory: link.signatory,
            consent: consents[link.kind] ?? "", lastDay: Self.words(link.lastDay), sha256: link.sha256)
    }

    private func document(
        of link: SignatureLink, _ request: EndpointRequest
    ) async throws(ExecutionError) -> HTTPResponse {
        guard link.showsDocument else {
            return .page(.refusal(link.state == .cancelled ? .cancelled : .late), 410)
        }
        guard let bytes = try await completion.document(link.id, deadline: request.context.deadline) else {
            return .page(.refusal(.unknown), 404)
        }
        var response = HTTPResponse.document(Document(kind: .pdf, name: link.name, bytes: bytes), for: request)
        response.headers.append((name: "Content-Security-Policy", value: "frame-ancestors 'self'"))
        return response
    }

    private func refusal(of link: SignatureLink, _ token: String) -> HTTPResponse {
        switch link.state {
        case .used:
            .page(
                .refusal(
                    .used(on: Self.words(link.signedOn ?? "")), documentOf: link.showsDocument ? token : nil), 409)
        case .cancelled: .page(.refusal(.cancelled), 410)
        case .late: .page(.refusal(.late), 410)
        case .open: .page(.refusal(.unavailable), 503)
        }
    }

    // MARK: Signing

    private func sign(
        _ link: SignatureLink, _ id: String, _ token: String, _ request: EndpointRequest
    ) async throws(ExecutionError) -> HTTPResponse {
        let fields = request.form ?? []
        func field(_ name: String) -> String { fields.first { $0.name == name }?.value ?? "" }
        let name = field("name").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let drawing = field("signature").isEmpty ? [] : Base64URL.decode(field("signature").utf8)
        guard let problem = Self.problem(name, field("consent"), drawing) else {
            let context = request.context
            let outcome = try await store.sign(
                id,
                SignatureStore.Signature(
                    name: name, consent: consents[link.kind] ?? "", address: context.remoteAddress,
                    device: context.userAgent?.withoutControls, drawing: drawing.flatMap { $0.isEmpty ? nil : $0 }),
                requestID: context.requestID, deadline: context.deadline)
            return try await answer(outcome, link, id, token, request)
        }
        return .page(.form(invitation(link, token), name: String(name.prefix(Self.maxName)), problem: problem), 400)
    }

    private func answer(
        _ outcome: SignatureStore.Outcome, _ link: SignatureLink, _ id: String, _ token: String,
        _ request: EndpointRequest
    ) async throws(ExecutionError) -> HTTPResponse {
        let name = link.name.withoutExtension
        switch outcome {
        case .signed: return .page(.thanks(document: name, signedDocumentOf: nil), 200)
        case .complete:
            do throws(ExecutionError) {
                try await completion.complete(link.id, deadline: request.context.deadline)
            } catch {
                // All is signed. The document is completed when it is opened, and before the mails about it leave.
            }
            return .page(.thanks(document: name, signedDocumentOf: token), 200)
        case .unknown: return .page(.refusal(.unknown), 404)
        case .used, .cancelled, .late:
            // Another request came first, or the time has passed since the link was read.
            guard let now = try await store.link(id, deadline: request.context.deadline), now.state != .open else {
                return .page(.refusal(.late), 410)
            }
            return refusal(of: now, token)
        }
    }

    /// What is wrong with what was sent; nil if it can be signed with.
    ///
    /// - Parameter drawing: empty if nothing was drawn; nil if it is malformed.
    private static func problem(_ name: String, _ consent: String, _ drawing: [UInt8]?) -> String? {
        let isVisible = name.unicodeScalars.contains { $0.properties.isAlphabetic }
        let hasControls = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        if !isVisible || hasControls || name.unicodeScalars.count > maxName { return Messages.name }
        if consent != "oui" { return Messages.consent }
        guard let drawing, drawing.isEmpty || isDrawing(drawing) else { return Messages.drawing }
        return nil
    }

    /// Whether the bytes are a PNG of a sensible size.
    private static func isDrawing(_ bytes: [UInt8]) -> Bool {
        guard bytes.count <= maxDrawing, FileContent.kind(of: bytes) == .png else { return false }
        let sides = [16, 20].map { bytes[$0..<$0 + 4].reduce(0) { $0 << 8 | Int($1) } }
        return sides.allSatisfy { (1...longestSide).contains($0) }
    }

    /// A day in words; the text itself if it is no day.
    private static func words(_ day: String) -> String { CalendarDate(day)?.inFrench ?? day }
}

extension SignatureEndpoint {
    enum Messages {
        static let name = "Donnez votre nom."
        static let consent = "Cochez la case pour dire que vous acceptez de signer."
        static let drawing = "Le dessin n’a pas pu être lu\u{A0}: effacez-le, puis dessinez-le de nouveau."
    }
}

extension HTTPResponse {
    fileprivate static func page(_ page: SigningPage, _ status: Int) -> HTTPResponse {
        HTTPResponse(
            status: HTTPResponseStatus(statusCode: status), contentType: "text/html; charset=utf-8",
            body: ByteBuffer(string: page.html),
            headers: [
                (name: "Content-Security-Policy", value: SigningPage.contentSecurityPolicy),
                // The address of the page is the right to sign.
                (name: "Referrer-Policy", value: "no-referrer"), (name: "Cache-Control", value: "no-store"),
                (name: "X-Content-Type-Options", value: "nosniff"),
            ])
    }
}

extension String {
    /// The text of a header without control characters, which the database does not take.
    fileprivate var withoutControls: String {
        String(
            String.UnicodeScalarView(unicodeScalars.filter { $0.properties.generalCategory != .control }.prefix(300)))
    }
}
