import Crypto
import Foundation

/// Makes JSON Web Tokens with any header and claims, to test how they are verified.
///
/// It encodes and signs with code of its own, so that a mistake in the code under test cannot cancel itself out.
package enum ForgedToken {
    /// The token with this header and these claims, signed with HMAC-SHA256.
    /// - Parameters:
    ///   - header: JSON text.
    ///   - claims: JSON text.
    package static func make(header: String, claims: String, secret: String) -> String {
        make(header: Array(header.utf8), claims: Array(claims.utf8), secret: secret)
    }

    /// The same with texts that need not be UTF-8.
    package static func make(header: [UInt8], claims: [UInt8], secret: String) -> String {
        let signed = base64URL(header) + "." + base64URL(claims)
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(signed.utf8), using: SymmetricKey(data: Data(secret.utf8)))
        return signed + "." + base64URL(code)
    }

    private static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
