import Crypto
import TextEncodings

/// Makes and recognises the secrets in the links of signatories: the random id of a link, and an HMAC-SHA-256 of it with a key
/// that is derived from the server's secrets.
///
/// The database has the id alone, from which no link can be made without the key. A mail that is sent again has the same link.
struct SignatureLinkSigner: Sendable {
    private static let idLength = 16
    private static let codeLength = 32

    /// The first key signs, all of them verify.
    private let keys: [SymmetricKey]

    init(secrets: [SigningSecret]) {
        keys = secrets.map { $0.derived(for: "signature link") }
    }

    /// The token of the link with this id, 64 characters; nil if `id` is not a UUID in lower case.
    func token(for id: String) -> String? {
        guard let bytes = SignInID.bytes(of: id) else { return nil }
        return Base64URL.encode(bytes + Array(HMAC<SHA256>.authenticationCode(for: bytes, using: keys[0])))
    }

    /// The id of the link that has this token; nil if this server has not made it.
    func id(of token: String) -> String? {
        guard token.utf8.count == 64, let bytes = Base64URL.decode(token.utf8),
            bytes.count == Self.idLength + Self.codeLength
        else { return nil }
        let (id, code) = (bytes[..<Self.idLength], bytes[Self.idLength...])
        let isSigned = keys.contains { HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: id, using: $0) }
        return isSigned ? SignInID.text(of: id) : nil
    }
}

/// Links that people without an account sign documents through.
extension AuthService {
    /// The token of the link with this id; nil if the id has another form than Postgres writes.
    package func signatureToken(forLink id: String) -> String? { signatureLinks.token(for: id) }

    /// The id of the link that has this token; nil if this server has not made it. Decided without the database.
    package func signatureLink(of token: String) -> String? { signatureLinks.id(of: token) }
}
