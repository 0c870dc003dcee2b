import Crypto
import TextEncodings

/// What a client shows to get a new access token: the sign-in's id, 256 bits that only the client keeps, and a mark
/// by which the server knows its own even after it has forgotten them.
package struct RefreshToken: Sendable, Equatable {
    let signInID: String
    let secret: [UInt8]
    let mark: [UInt8]

    static let secretLength = 32
    static let markLength = 16

    /// What the client holds.
    package var text: String {
        Base64URL.encode((SignInID.bytes(of: signInID) ?? []) + secret + mark)
    }

    /// What the database holds.
    var hash: [UInt8] { Array(SHA256.hash(data: Array(signInID.utf8) + secret)) }

    init(signInID: String, secret: [UInt8], mark: [UInt8]) {
        self.signInID = signInID
        self.secret = secret
        self.mark = mark
    }

    /// Reads a client's text; nil when it has not the form of one.
    package init?(_ text: String) {
        guard text.utf8.count == 86, let bytes = Base64URL.decode(text.utf8) else { return nil }
        signInID = SignInID.text(of: bytes[..<16])
        secret = Array(bytes[16..<(16 + Self.secretLength)])
        mark = Array(bytes[(16 + Self.secretLength)...])
    }
}

/// Makes refresh tokens and recognises them, under keys derived from the server's secrets.
///
/// A token's successor is an HMAC of it: every instance that is shown the same token, at the same moment or a second
/// later, comes to the same successor, though the database holds nothing but a hash.
struct RefreshTokens: Sendable {
    private struct Keys: Sendable {
        let succession: SymmetricKey
        let mark: SymmetricKey
    }

    /// In the order of the secrets: the first makes tokens.
    private let keys: [Keys]

    init(secrets: [SigningSecret]) {
        keys = secrets.map {
            Keys(succession: $0.derived(for: "refresh token succession"), mark: $0.derived(for: "refresh token mark"))
        }
    }

    /// The first token of a sign-in.
    func first(of signInID: String) -> RefreshToken {
        token(signInID, RandomBytes.make(RefreshToken.secretLength), keys[0])
    }

    /// What `token` is exchanged for.
    func successor(of token: RefreshToken) -> RefreshToken {
        successor(of: token, keys[0])
    }

    /// Whether `token` was made here once, be it still good or not.
    func isOwn(_ token: RefreshToken) -> Bool {
        keys.contains { key in
            ConstantTime.areEqual(mark(of: token.signInID, token.secret, key), token.mark)
        }
    }

    /// The successor of `token`, when the token whose hash is `hash` comes at most `steps` exchanges after it.
    ///
    /// A secret may have been put before the others meanwhile: every key is tried.
    func successor(of token: RefreshToken, leadingTo hash: [UInt8], within steps: Int) -> RefreshToken? {
        for key in keys {
            let next = successor(of: token, key)
            var candidate = next
            for step in 0..<max(steps, 0) {
                if step > 0 { candidate = successor(of: candidate, key) }
                if candidate.hash == hash { return next }
            }
        }
        return nil
    }

    private func successor(of token: RefreshToken, _ key: Keys) -> RefreshToken {
        let message = Array(token.signInID.utf8) + token.secret
        let secret = Array(HMAC<SHA256>.authenticationCode(for: message, using: key.succession))
        return self.token(token.signInID, secret, key)
    }

    private func token(_ signInID: String, _ secret: [UInt8], _ key: Keys) -> RefreshToken {
        RefreshToken(signInID: signInID, secret: secret, mark: mark(of: signInID, secret, key))
    }

    private func mark(of signInID: String, _ secret: [UInt8], _ key: Keys) -> [UInt8] {
        let code = HMAC<SHA256>.authenticationCode(for: Array(signInID.utf8) + secret, using: key.mark)
        return Array(code.prefix(RefreshToken.markLength))
    }
}
