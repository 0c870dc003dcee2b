import Crypto
import TextEncodings

/// A token that a client exchanges for a new pair of tokens.
///
/// It holds the id of the sign-in, a secret of 256 bits that only the client keeps, and a tag by which the server
/// recognises tokens that it issued, even after it has forgotten their hashes.
package struct RefreshToken: Sendable, Equatable {
    let signInID: String
    let secret: [UInt8]
    let tag: [UInt8]

    /// For how many seconds a token that is not used is valid.
    package static let idleLifetime = 30 * 24 * 3_600

    /// In bytes.
    static let secretLength = 32
    /// In bytes.
    static let tagLength = 16
    private static let textLength = 86

    /// The form in which the client keeps the token.
    package var text: String {
        Base64URL.encode((SignInID.bytes(of: signInID) ?? []) + secret + tag)
    }

    /// What the database stores of the token.
    var hash: [UInt8] { Array(SHA256.hash(data: Array(signInID.utf8) + secret)) }

    init(signInID: String, secret: [UInt8], tag: [UInt8]) {
        self.signInID = signInID
        self.secret = secret
        self.tag = tag
    }

    /// Nil if `text` does not have the form of a refresh token. Does not verify that this service issued it.
    package init?(_ text: String) {
        guard text.utf8.count == Self.textLength, let bytes = Base64URL.decode(text.utf8) else { return nil }
        signInID = SignInID.text(of: bytes[..<16])
        secret = Array(bytes[16..<(16 + Self.secretLength)])
        tag = Array(bytes[(16 + Self.secretLength)...])
    }
}
