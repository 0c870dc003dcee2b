import Crypto
import JSON
import TextEncodings

/// Signs the links to documents and verifies them: what a link opens, until when, and an HMAC-SHA-256 of both, with a key
/// that is derived from the server's secrets.
///
/// Who has the link has the document for fifteen minutes: browsers and calendar programs open links without the header
/// that calls carry.
struct DocumentLinkSigner: Sendable {
    /// How long a link is valid, in seconds.
    static let lifetime = 900
    /// In bytes. Longer addresses are cut by some programs.
    static let maxLength = 4_096

    /// The first key signs, all of them verify.
    private let keys: [SymmetricKey]
    private let clock: @Sendable () -> Double

    init(secrets: [SigningSecret], clock: @escaping @Sendable () -> Double) {
        keys = secrets.map { $0.derived(for: "document link") }
        self.clock = clock
    }

    /// The token of a link, and until when it is valid, in seconds since 1970. Nil if the link would be too long.
    func token(for document: LinkedDocument) -> (text: String, expiresAt: Int)? {
        let expiresAt = Int(clock()) + Self.lifetime
        var bytes: [UInt8] = []
        bytes.appendJSON(Self.claims(of: document, until: expiresAt))
        let payload = Base64URL.encode(bytes)
        let code = HMAC<SHA256>.authenticationCode(for: Array(payload.utf8), using: keys[0])
        let text = payload + "." + Base64URL.encode(code)
        return text.utf8.count > Self.maxLength ? nil : (text, expiresAt)
    }

    /// What a token opens. Whether its sign-in or key and its role still are valid is for the database to say.
    ///
    /// - Throws: `.unknown` or `.expired`.
    func document(of token: Substring) throws(DocumentLinkError) -> LinkedDocument {
        guard let claims = claims(of: token), let document = LinkedDocument(claims),
            let expiresAt = claims.integer("expires_at")
        else { throw .unknown }
        guard clock() < Double(expiresAt) else { throw .expired }
        return document
    }

    /// The company of the document that a token opens, or has opened; nil if it is no token of this service.
    func company(of token: Substring) -> Int64? { claims(of: token).map { $0.integer("company") ?? 1 } }

    /// The claims of a token, however old it is; nil if its signature is not of this service.
    private func claims(of token: Substring) -> JSONValue? {
        guard token.utf8.count <= Self.maxLength, let dot = token.firstIndex(of: "."),
            let signature = Base64URL.decode(token[token.index(after: dot)...].utf8)
        else { return nil }
        let payload = Array(token[..<dot].utf8)
        let isSigned = keys.contains { key in
            HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: payload, using: key)
        }
        return isSigned ? Base64URL.decode(payload).flatMap(Self.json) : nil
    }

    private static func claims(of document: LinkedDocument, until expiresAt: Int) -> JSONValue {
        let credential: JSONObject.Member =
            if let key = document.user.accessKeyID {
                .init("access_key", .number(String(key)))
            } else {
                .init("sign_in", .string(document.user.signInID))
            }
        var members: [JSONObject.Member] = [
            .init("method", .string(document.method)), .init("params", .object(document.params)),
            .init("account", .number(String(document.user.accountID))),
            .init("company", .number(String(document.user.company))),
            .init("member", .number(String(document.user.userID))), credential,
            .init("role", .string(document.acting.role)),
            .init("subject", document.acting.subject.map { .number(String($0)) } ?? .null),
            .init("expires_at", .number(String(expiresAt))),
        ]
        // How often the member had been deactivated; 0 is left out, as in links of servers that did not say it.
        if document.user.deactivations > 0 {
            members.append(.init("deactivations", .number(String(document.user.deactivations))))
        }
        return .object(JSONObject(members))
    }

    private static func json(_ bytes: [UInt8]) -> JSONValue? {
        bytes.withUnsafeBytes { bytes in
            do throws(JSONError) { return try JSONReader.read(bytes).value } catch { return nil }
        }
    }
}

extension LinkedDocument {
    /// Nil if a member is missing.
    fileprivate init?(_ claims: JSONValue) {
        guard let method = claims["method"]?.text, case .object(let params)? = claims["params"],
            let account = claims.integer("account"), let role = claims["role"]?.text
        else { return nil }
        // Links of servers that know one company name the account alone.
        let member = Member(company: claims.integer("company") ?? 1, id: claims.integer("member") ?? account)
        let acting = HeldRole(role: role, subject: claims.integer("subject"))
        if let key = claims.integer("access_key") {
            let user = AuthenticatedUser(
                member: member, account: account, accessKeyID: key, role: nil, additionalRoles: [acting])
            self.init(method: method, params: params, user: user, acting: acting)
        } else if let signIn = claims["sign_in"]?.text {
            let user = AuthenticatedUser(
                member: member, account: account, signInID: signIn, role: acting.role, additionalRoles: [acting],
                deactivations: claims.integer("deactivations") ?? 0)
            self.init(method: method, params: params, user: user, acting: acting)
        } else {
            return nil
        }
    }
}

extension JSONValue {
    fileprivate func integer(_ name: String) -> Int64? {
        if case .number(let digits)? = self[name] { Int64(digits) } else { nil }
    }
}
