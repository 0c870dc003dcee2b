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
            sub: Subject(user).text, sid: user.signInID, role: role,
            roles: roles.isEmpty ? nil : roles, deactivations: user.deactivations == 0 ? nil : user.deactivations,
            iat: now, exp: now + Double(Self.lifetime), nbf: nil, iss: issuer,
            aud: .init(names: [issuer]))
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
            let subject = Subject(claims.sub),
            SignInID.isValid(claims.sid), (claims.roles ?? []).allSatisfy(\.isPlausible),
            claims.deactivations.map({ $0 > 0 }) ?? true
        else { throw .invalid }
        let usableUntil = claims.exp + Self.leeway
        guard now < usableUntil else { throw .expired }
        let additionalRoles = (claims.roles ?? []).map { HeldRole(role: $0.role, subject: $0.subject) }
        let user = AuthenticatedUser(
            member: subject.member, account: subject.account, signInID: claims.sid, role: claims.role,
            additionalRoles: additionalRoles, deactivations: claims.deactivations ?? 0)
        return Verified(user: user, usableUntil: usableUntil)
    }

    func isUsable(_ verified: Verified) -> Bool {
        clock() < verified.usableUntil
    }
}

/// The subject of an access token: the id of the account in digits; with `.company.member` behind it, in digits too, where the token
/// does not act in company 1 for the member with the number of the account. A server that knows one company refuses this form, rather
/// than take the account for one of its company.
private struct Subject {
    let account: Int64
    let member: Member

    init(_ user: AuthenticatedUser) {
        account = user.accountID
        member = user.member
    }

    /// Nil for another form than that of ``text``.
    init?(_ text: String) {
        let ids = text.split(separator: ".", omittingEmptySubsequences: false).compactMap { Int64($0) }
        switch ids.count {
        case 1: (account, member) = (ids[0], Member(company: 1, id: ids[0]))
        case 3: (account, member) = (ids[0], Member(company: ids[1], id: ids[2]))
        default: return nil
        }
        guard ids.allSatisfy({ $0 > 0 }), self.text == text else { return nil }
    }

    var text: String {
        member == Member(company: 1, id: account) ? "\(account)" : "\(account).\(member.company).\(member.id)"
    }
}

/// The claims of an access token. A token that lacks one that is not optional does not decode, so it is invalid.
private struct AccessTokenClaims: Codable {
    /// As ``Subject`` writes it.
    let sub: String
    /// The id of the sign-in.
    let sid: String
    let role: String
    /// The roles beside `role`. Left out if there are none.
    let roles: [RoleClaim]?
    /// How often the member had been deactivated. Left out if it never was.
    let deactivations: Int64?
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
