import JWTKit

/// Issues and verifies access tokens: JWTs signed with HMAC-SHA256, good for fifteen minutes.
///
/// jwt-kit signs and compares signatures; which key, which algorithm and which claims count is decided here.
package struct AccessTokens: Sendable {
    /// How long a token is good for, in seconds.
    package static let lifetime = 900
    /// How far clocks may be apart, in seconds.
    package static let leeway = 30.0
    /// Longer ones are not read: the ones issued here have some three hundred bytes.
    private static let longest = 4096
    private static let type = "at+jwt"
    private static let algorithm = "HS256"
    /// Both `iss` and `aud`.
    private static let party = "learntrack"

    private let signingKeyID: String
    private let collection: JWTKeyCollection
    private let keys: [String: any JWTAlgorithm]
    private let roles: Set<String>
    private let clock: @Sendable () -> Double

    /// - Parameters:
    ///   - secrets: at least one; the first signs, all verify.
    ///   - roles: the roles a token may carry.
    ///   - clock: seconds since 1970.
    package init(secrets: [SigningSecret], roles: Set<String>, clock: @escaping @Sendable () -> Double) async throws {
        guard let first = secrets.first else { throw SigningSecretError.empty }
        signingKeyID = first.keyID
        collection = JWTKeyCollection()
        var keys: [String: any JWTAlgorithm] = [:]
        for secret in secrets where keys[secret.keyID] == nil {
            let identifier = JWKIdentifier(string: secret.keyID)
            await collection.add(hmac: HMACKey(key: secret.key), digestAlgorithm: .sha256, kid: identifier)
            keys[secret.keyID] = try await collection.getKey(for: identifier)
        }
        self.keys = keys
        self.roles = roles
        self.clock = clock
    }

    package func issue(for caller: AuthenticatedUser) async throws -> String {
        let now = clock().rounded(.down)
        let claims = AccessTokenClaims(
            sub: String(caller.userID), sid: caller.signInID, role: caller.role, iat: now,
            exp: now + Double(Self.lifetime), nbf: nil, iss: Self.party, aud: .init(Self.party))
        return try await collection.sign(
            claims, kid: JWKIdentifier(string: signingKeyID),
            header: ["alg": .string(Self.algorithm), "typ": .string(Self.type)])
    }

    /// A token that was found good, and until when it is, in seconds since 1970 (leeway included).
    package struct Verified: Sendable, Equatable {
        package let caller: AuthenticatedUser
        package let usableUntil: Double
    }

    /// Verifies `token`; touches neither network nor disk.
    package func verify(_ token: some StringProtocol) throws(TokenError) -> Verified {
        let claims = try authenticClaims(of: token)
        let now = clock()
        guard claims.iss == Self.party, claims.aud.names.contains(Self.party), roles.contains(claims.role),
            claims.nbf.map({ $0 <= now + Self.leeway }) ?? true, let userID = Self.userID(claims.sub),
            SignInID.isValid(claims.sid)
        else { throw .invalid }
        let usableUntil = claims.exp + Self.leeway
        guard now < usableUntil else { throw .expired }
        return Verified(
            caller: AuthenticatedUser(userID: userID, signInID: claims.sid, role: claims.role), usableUntil: usableUntil
        )
    }

    func isUsable(_ verified: Verified) -> Bool {
        clock() < verified.usableUntil
    }

    /// The claims of a token that carries a signature of one of the keys; nothing of it is believed before.
    private func authenticClaims(of text: some StringProtocol) throws(TokenError) -> AccessTokenClaims {
        let token = try JSONWebToken(text, longest: Self.longest)
        let header = try token.header()
        guard header.alg == Self.algorithm, header.typ == Self.type, !header.hasCritical,
            let key = header.kid.flatMap({ keys[$0] }), Self.verifies(token, key)
        else { throw .invalid }
        return try token.claims()
    }

    private static func verifies(_ token: JSONWebToken, _ key: any JWTAlgorithm) -> Bool {
        do { return try key.verify(token.signature, signs: token.signed) } catch { return false }
    }

    /// An id as this class writes it: digits alone, no sign, no leading zero.
    private static func userID(_ text: String) -> Int64? {
        guard let id = Int64(text), id > 0, String(id) == text else { return nil }
        return id
    }
}
