import Auth
import Crypto
import Documents
import DomainKit
import Files
import HTTPServer
import NIOCore
import NIOHTTP1
import Outbox
import RPCServer
import SigningPage
import TextEncodings

/// `/signatures/<token>`: the page on which a document is signed, for people without an account. Who has the link may sign.
struct SignatureEndpoint: Sendable {
    /// The largest drawing, in bytes.
    private static let maxDrawing = 45_000
    private static let maxName = 150
    private static let documentPath = "/document"

    let identity: AuthService
    let store: SignatureStore
    let completion: SignatureCompletion
    let drawings: DrawingReader
    /// Those of the served domains, by their names.
    let signatures: [String: Signatures]

    var endpoint: Endpoint {
        Endpoint(SignatureLinks.path, methods: [.GET, .HEAD, .POST], bodyBytes: 64 * 1_024) { await respond(to: $0) }
    }

    private func respond(to request: EndpointRequest) async -> HTTPResponse {
        let asksDocument = request.subpath.hasSuffix(Self.documentPath)
        let token = asksDocument ? String(request.subpath.dropLast(Self.documentPath.count)) : request.subpath
        do throws(ExecutionError) {
            guard let id = identity.signatureLink(of: token),
                let link = try await store.link(id, deadline: request.context.deadline)
            else { return .page(.refusal(.unknown), 404) }
            let closure = try await mapError(
                async: await identity.closure(of: link.company.id, deadline: request.context.deadline),
                ExecutionError.init(auth:))
            switch closure {
            case .suspended: return .page(.refusal(.suspended), 403)
            case .moved(let place): return .refusal(RPCErrorObject(.execution(.closed(.moved(to: place)))), to: request)
            case nil: break
            }
            if asksDocument {
                guard request.method != .POST else { return .page(.refusal(.unknown), 404) }
                return try await document(of: link, request)
            }
            let fields = request.method == .POST ? Fields(request) : nil
            if fields?.saysOpened == true { return try await open(link, id, request) }
            let head = try await completion.letterhead(
                of: link.kind, in: link.company, deadline: request.context.deadline)
            guard link.state == .open, let terms = signatures[link.kind] else { return refusal(of: link, token, head) }
            let form = Form(link: link, terms: terms, token: token, head: head)
            guard let fields else { return .page(.form(form.invitation, name: link.signatory), 200) }
            return try await sign(form, id, fields, request)
        } catch .closed(.moved(let place)) {
            // It has moved while the page was answered.
            return .refusal(RPCErrorObject(.execution(.closed(.moved(to: place)))), to: request)
        } catch {
            var response = HTTPResponse.page(.refusal(.unavailable), 503)
            response.headers.append((name: "Retry-After", value: "5"))
            return response
        }
    }

    // MARK: Showing

    /// Notes what the page sends when a person first touches it. Opening the link notes nothing: programs do it that look at the
    /// links of a mail.
    private func open(
        _ link: SignatureLink, _ id: String, _ request: EndpointRequest
    ) async throws(ExecutionError) -> HTTPResponse {
        if link.state == .open, !link.isOpened {
            try await store.open(id, requestID: request.context.requestID, deadline: request.context.deadline)
        }
        return HTTPResponse(status: .noContent)
    }

    private func document(
        of link: SignatureLink, _ request: EndpointRequest
    ) async throws(ExecutionError) -> HTTPResponse {
        guard link.showsDocument else {
            return .page(.refusal(link.state == .cancelled ? .cancelled : .late), 410)
        }
        guard
            let bytes = try await completion.document(
                link.id, in: link.company, deadline: request.context.deadline)
        else { return .page(.refusal(.unknown), 404) }
        var response = HTTPResponse.document(Document(kind: .pdf, name: link.name, bytes: bytes), for: request)
        response.headers.append((name: "Content-Security-Policy", value: "frame-ancestors 'self'"))
        return response
    }

    private func refusal(
        of link: SignatureLink, _ token: String, _ head: Signatures.Letterhead
    ) -> HTTPResponse {
        let head = SigningPage.Letterhead(head)
        return switch link.state {
        case .used:
            .page(
                .refusal(
                    .used(on: (link.signedAt ?? "").asFrenchMoment), documentOf: link.showsDocument ? token : nil,
                    head: head), 409)
        case .cancelled: .page(.refusal(.cancelled, head: head), 410)
        case .late: .page(.refusal(.late, head: head), 410)
        case .open: .page(.refusal(.unavailable, head: head), 503)
        }
    }

    // MARK: Signing

    private func sign(
        _ form: Form, _ id: String, _ fields: Fields, _ request: EndpointRequest
    ) async throws(ExecutionError) -> HTTPResponse {
        let refused: (problem: String, status: Int)?
        if let problem = Self.problem(fields) {
            refused = (problem, 400)
        } else if fields.shown != form.digest {
            // What was read is not what would be kept.
            refused = (Messages.changed, 409)
        } else if let drawing = fields.drawing, !drawing.isEmpty,
            try await !drawings.canRead(
                drawing, of: form.link.id, in: form.link.company, form.terms, by: request.context.deadline)
        {
            refused = (Messages.drawing, 400)
        } else {
            refused = nil
        }
        if let refused {
            let name = String(fields.name.prefix(Self.maxName))
            // A drawing that cannot be read is not shown again; nor is a consent to another document.
            let drawing = fields.drawing.flatMap { Self.isPNG($0) && refused.problem != Messages.drawing ? $0 : nil }
            return .page(
                .form(
                    form.invitation, name: name, drawing: Base64URL.encode(drawing ?? []),
                    consents: fields.consent == "oui" && fields.shown == form.digest, problem: refused.problem),
                refused.status)
        }
        let context = request.context
        let outcome = try await store.sign(
            id,
            SignatureStore.Signature(
                name: fields.name, consent: form.terms.consent,
                address: context.hidesClient ? nil : context.remoteAddress,
                device: context.userAgent?.withoutControls, drawing: fields.drawing.flatMap { $0.isEmpty ? nil : $0 }),
            requestID: context.requestID, deadline: context.deadline)
        return try await answer(outcome, form, id, request)
    }

    private func answer(
        _ outcome: SignatureStore.Outcome, _ form: Form, _ id: String, _ request: EndpointRequest
    ) async throws(ExecutionError) -> HTTPResponse {
        let (link, token) = (form.link, form.token)
        let head = SigningPage.Letterhead(form.head)
        let name = link.name.withoutExtension
        switch outcome {
        case .signed: return .page(.thanks(document: name, signedDocumentOf: nil, head: head), 200)
        case .complete:
            do throws(ExecutionError) {
                try await completion.complete(link.id, in: link.company, deadline: request.context.deadline)
            } catch {
                // All is signed. The document is completed when it is opened, and before the mails about it leave.
            }
            return .page(.thanks(document: name, signedDocumentOf: token, head: head), 200)
        case .unknown: return .page(.refusal(.unknown), 404)
        case .used, .cancelled, .late:
            // Another request came first, or the time has passed since the link was read.
            guard let now = try await store.link(id, deadline: request.context.deadline), now.state != .open else {
                return .page(.refusal(.late), 410)
            }
            return refusal(of: now, token, form.head)
        }
    }

    /// What is wrong with what was sent; nil if it can be signed with, but for what the drawing shows.
    private static func problem(_ fields: Fields) -> String? {
        let isVisible = fields.name.unicodeScalars.contains { $0.properties.isAlphabetic }
        if !isVisible || !fields.name.isPlainName { return Messages.name }
        if fields.name.unicodeScalars.count > maxName { return Messages.longName }
        if fields.consent != "oui" { return Messages.consent }
        guard let drawing = fields.drawing, drawing.isEmpty || isPNG(drawing) else { return Messages.drawing }
        return nil
    }

    private static func isPNG(_ bytes: [UInt8]) -> Bool {
        bytes.count <= maxDrawing && FileContent.kind(of: bytes) == .png
    }
}

/// A link that can be signed, with what its page says.
private struct Form {
    let link: SignatureLink
    let terms: Signatures
    let token: String
    let head: Signatures.Letterhead

    /// Of what the signatory reads: the sentence and the document. The page sends it with the form, so that what is kept is what
    /// was read, also when another version of the service has shown the page.
    var digest: String {
        Base64URL.encode(SHA256.hash(data: Array("\(link.sha256)\n\(terms.consent)".utf8)))
    }

    var invitation: SigningPage.Invitation {
        SigningPage.Invitation(
            token: token, head: SigningPage.Letterhead(head), document: link.name.withoutExtension,
            subject: link.subject, signatory: link.signatory, consent: terms.consent,
            deadline: link.deadline.asFrenchMoment, sha256: link.sha256, shown: digest)
    }
}

extension SigningPage.Letterhead {
    fileprivate init(_ head: Signatures.Letterhead) {
        self.init(name: head.name, logo: head.logo)
    }
}

/// What a page sends.
private struct Fields {
    let saysOpened: Bool
    let name: String
    let consent: String
    let shown: String
    /// Empty if nothing was drawn; nil if it is malformed.
    let drawing: [UInt8]?

    init(_ request: EndpointRequest) {
        let fields = request.form ?? []
        func field(_ name: String) -> String { fields.first { $0.name == name }?.value ?? "" }
        saysOpened = field("opened") == "oui"
        name = field("name").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        consent = field("consent")
        shown = field("shown")
        drawing = field("signature").isEmpty ? [] : Base64URL.decode(field("signature").utf8)
    }
}

extension SignatureEndpoint {
    enum Messages {
        static let name = "Donnez votre nom, sans caractère invisible."
        static let longName = "Donnez votre nom en \(maxName)\u{A0}caractères au plus."
        static let changed =
            "La phrase à accepter ou le document ne sont plus ceux que cette page montrait. Rien n’est signé\u{202F}: relisez-les"
            + " ci-dessous, puis signez."
        static let consent = "Cochez la case pour dire que vous acceptez de signer."
        static let drawing = "Le dessin n’a pas pu être lu\u{202F}: effacez-le, puis dessinez-le de nouveau."
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
            ])
    }
}

extension String {
    /// The text of a header without control characters, which the database does not take, and without those that change how
    /// the text around them is shown.
    fileprivate var withoutControls: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.filter { ![.control, .format].contains($0.properties.generalCategory) }.prefix(300)))
    }

    /// Whether a name has neither control characters nor those that change how the text around them is shown, such as a
    /// right-to-left override. Persian and Indic names are written with the two joiners.
    var isPlainName: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control: false
            case .format: scalar == "\u{200C}" || scalar == "\u{200D}"
            default: true
            }
        }
    }
}
