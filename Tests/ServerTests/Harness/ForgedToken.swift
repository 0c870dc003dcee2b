import Auth
import Crypto

/// A JWT put together by hand, signed with HMAC-SHA256.
enum ForgedToken {
    /// - Parameters:
    ///   - header: JSON text.
    ///   - claims: JSON text.
    static func make(header: String, claims: String, secret: String) -> String {
        let signed = Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.utf8)
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(signed.utf8), using: SymmetricKey(data: Array(secret.utf8)))
        return signed + "." + Base64URL.encode(code)
    }
}
