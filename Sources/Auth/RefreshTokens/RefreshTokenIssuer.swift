import Crypto

/// Issues refresh tokens and recognises them, with keys that are derived from the server's secrets.
///
/// The successor of a token is an HMAC of it. So every instance derives the same successor from the same token, at the
/// same moment or a second later, although the database stores only hashes.
struct RefreshTokenIssuer: Sendable {
    private struct Keys: Sendable {
        let successor: SymmetricKey
        let tag: SymmetricKey
    }

    /// In the order of the secrets. The first keys issue tokens, all of them recognise tokens.
    private let keys: [Keys]

    /// - Parameter secrets: at least one.
    init(secrets: [SigningSecret]) {
        // Other purposes would derive other keys, which would not recognise the tokens that clients hold.
        keys = secrets.map {
            Keys(successor: $0.derived(for: "refresh token succession"), tag: $0.derived(for: "refresh token mark"))
        }
    }

    /// The first token of a sign-in.
    func firstToken(of signInID: String) -> RefreshToken {
        token(signInID, RandomBytes.make(RefreshToken.secretLength), keys[0])
    }

    /// The token that `token` is exchanged for.
    func successor(of token: RefreshToken) -> RefreshToken {
        successor(of: token, keys[0])
    }

    /// Whether `token` was issued with one of the secrets, whether or not it is still valid.
    func didIssue(_ token: RefreshToken) -> Bool {
        keys.contains { key in
            ConstantTime.areEqual(tag(of: token.signInID, token.secret, key), token.tag)
        }
    }

    /// The successor of `token`, if the token with this hash was issued at most `steps` exchanges after `token`.
    ///
    /// Every key is tried, because another secret may have become the first one since the exchange.
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
        let secret = Array(HMAC<SHA256>.authenticationCode(for: message, using: key.successor))
        return self.token(token.signInID, secret, key)
    }

    private func token(_ signInID: String, _ secret: [UInt8], _ key: Keys) -> RefreshToken {
        RefreshToken(signInID: signInID, secret: secret, tag: tag(of: signInID, secret, key))
    }

    private func tag(of signInID: String, _ secret: [UInt8], _ key: Keys) -> [UInt8] {
        let code = HMAC<SHA256>.authenticationCode(for: Array(signInID.utf8) + secret, using: key.tag)
        return Array(code.prefix(RefreshToken.tagLength))
    }
}
