package import Auth
package import DomainKit
import FoundationEssentials
package import JSON
package import RPCServer

/// Makes the links to documents that calls are answered with.
package struct DocumentLinks: Sendable {
    /// The path of all documents.
    static let path = "/documents/"

    let identity: AuthService
    /// The public address of the server, without a slash at its end; nil: links have a path alone.
    let publicURL: String?

    /// What a call of a document method, or a subscription, gives access to.
    ///
    /// - Parameters:
    ///   - method: the name of the method that makes the document.
    ///   - params: the params of the call.
    package static func document(
        _ method: String, _ params: JSONObject, for call: Call
    ) throws(CallError) -> LinkedDocument {
        guard let user = call.caller?.user, let role = call.role else { throw .authorisation(AuthorisationError()) }
        return LinkedDocument(
            method: method, params: params, user: user,
            acting: HeldRole(role: role.served.role.name, subject: role.subject))
    }

    /// A link that is valid for some minutes.
    ///
    /// - Throws: a problem of the params if they are too long for a link.
    package func link(to document: LinkedDocument) throws(CallError) -> DocumentLink {
        guard let link = link(ifShort: document) else {
            throw .params([Problem.tooLongForLink])
        }
        return link
    }

    /// A link that is valid for some minutes; nil if it would be too long.
    package func link(ifShort document: LinkedDocument) -> DocumentLink? {
        guard let token = identity.linkToken(for: document) else { return nil }
        let expiry = Date(timeIntervalSince1970: Double(token.expiresAt))
        return DocumentLink(url: url(token.text), expiresAt: expiry.formatted(.iso8601))
    }

    func url(_ token: String) -> String { (publicURL ?? "") + Self.path + token }
}

/// A link to a document that need not have been made.
package struct DocumentLink: Sendable {
    let url: String
    /// RFC 3339 in UTC; nil: the link has no end.
    let expiresAt: String?

    /// The result of a call.
    package func value(name: String, _ kind: DocumentKind) -> JSONValue {
        [
            "name": .string(name), "media_type": .string(kind.mediaType), "url": .string(url),
            "expires_at": expiresAt.map { .string($0) } ?? .null,
        ]
    }
}
