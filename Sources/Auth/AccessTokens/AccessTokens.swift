/// Issues and verifies access tokens: JSON Web Tokens that are signed with HMAC-SHA256 and valid for fifteen minutes.
struct AccessTokens: Sendable {
    /// How long a token is valid, in seconds.
    static let lifetime = 900
    /// How far the clocks of two instances may differ, in seconds.
    static let leeway = 30.0
    /// In bytes. Tokens that are issued here have about three hundred, and about a hundred for each additional role.
    private static let maxLength = 8192
    /// RFC 9068.
    private static let type = "at+jwt"

    private let signer: SigningSecret
    private let issuer: String
    private let secrets: [String: SigningSecret]
    private let roles: Set<String>
    private let clock: @Sendable () -> Double

    /// - Parameters:
    ///   - secrets: at least one. The first signs tokens, all of them verify tokens.
    ///   - issuer: the value of the claims `iss` and `aud`.
    ///   - roles: the base roles that a token may carry.
    ///   - clock: seconds since 1970.
    /// - Throws: ``SigningSecretError/empty`` if there is no secret.
    init(
        secrets: [SigningSecret], issuer: String, roles: Set<String>, clock: @escaping @Sendable () -> Double
    ) throws(SigningSecretError) {
        guard let first = secrets.first else { throw .empty }
        signer = first
        self.issuer = issuer
        self.secrets = Dictionary(secrets.map { ($0.keyID, $0) }) { first, _ in first }
        self.roles = roles
        self.clock = clock
    }

    func issue(for user: AuthenticatedUser) throws(AuthError) -> String {
        guard let role = user.role else { throw .signingFailed }
        let now = clock().rounded(.down)
        let roles = user.additionalRoles.map { RoleClaim(role: $0.role, subject: $0.subject) }
        let claims = AccessTokenClaims(
            sub: String(user.userID), sid: user.signInID, role: role, roles: roles.isEmpty ? nil : roles, iat: now,
            exp: now + Double(Self.lifetime), nbf: nil, iss: issuer, aud: .init(names: [issuer]))
        return try JSONWebToken.signed(claims, type: Self.type, by: signer)
    }

    /// A valid token.
    struct Verified: Sendable, Equatable {
        let user: AuthenticatedUser
        /// When the token stops being accepted, in seconds since 1970, leeway included.
        let usableUntil: Double
    }

    /// Verifies a token without access to network or disk.
    ///
    /// - Throws: `.expired` or `.invalid`.
    func verify(_ text: some StringProtocol) throws(TokenError) -> Verified {
        let token = try JSONWebToken(text, maxLength: Self.maxLength)
        guard token.header.typ == Self.type, let secret = token.header.kid.flatMap({ secrets[$0] }) else {
            throw .invalid
        }
        let claims: AccessTokenClaims = try token.claims(signedWith: secret.key)
        let now = clock()
        guard claims.iss == issuer, claims.aud.names.contains(issuer), roles.contains(claims.role),
            [claims.iat, claims.exp, claims.nbf ?? 0].allSatisfy(JSONWebToken.isPlausible),
            claims.iat <= now + Self.leeway, claims.nbf.map({ $0 <= now + Self.leeway }) ?? true,
            let userID = Self.userID(claims.sub),
            SignInID.isValid(claims.sid), (claims.roles ?? []).allSatisfy(\.isPlausible)
        else { throw .invalid }
        let usableUntil = claims.exp + Self.leeway
        guard now < usableUntil else { throw .expired }
        let additionalRoles = (claims.roles ?? []).map { HeldRole(role: $0.role, subject: $0.subject) }
        let user = AuthenticatedUser(
            userID: userID, signInID: claims.sid, role: claims.role, additionalRoles: additionalRoles)
        return Verified(user: user, usableUntil: usableUntil)
    }

    func isUsable(_ verified: Verified) -> Bool {
        clock() < verified.usableUntil
    }

    /// An id as `issue` writes it: digits without a sign or a leading zero.
    private static func userID(_ text: String) -> Int64? {
        guard let id = Int64(text), id > 0, String(id) == text else { return nil }
        return id
    }
}

/// The claims of an access token. A token that lacks one that is not optional does not decode, so it is invalid.
private struct AccessTokenClaims: Codable {
    /// The id of the account, in digits.
    let sub: String
    /// The id of the sign-in.
    let sid: String
    let role: String
    /// The roles beside `role`. Left out if there are none.
    let roles: [RoleClaim]?
    /// Seconds since 1970, as are `exp` and `nbf`.
    let iat: Double
    let exp: Double
    let nbf: Double?
    let iss: String
    let aud: JSONWebToken.Audience
}

/// One additional role in an access token.
private struct RoleClaim: Codable {
    let role: String
    /// Left out for a role without a subject.
    let subject: Int64?

    var isPlausible: Bool { !role.isEmpty && subject.map { $0 > 0 } ?? true }
}
