import Crypto

/// What a token of Supabase Auth says that counts here.
struct SupabaseToken: Sendable, Equatable {
    /// The account there: what `users.supabase_user_id` holds. A lower-case UUID.
    let subject: String
    /// The sign-in there, which this service neither lists nor ends. A lower-case UUID.
    let signInID: String
    /// In seconds since 1970, leeway included.
    let usableUntil: Double
}

/// Verifies access tokens that a Supabase project issued, by the secret that it signs them with.
///
/// What the token says of roles counts for nothing: those are this service's own.
struct SupabaseTokenVerifier: Sendable {
    private static let longest = 8192
    private static let audience = "authenticated"
    private static let issuer = "/auth/v1"

    private let key: SymmetricKey
    private let clock: @Sendable () -> Double

    init(secret: SigningSecret, clock: @escaping @Sendable () -> Double) {
        key = secret.key
        self.clock = clock
    }

    private struct Claims: Decodable {
        let sub: String
        let aud: AccessTokenClaims.Audience
        let iss: String
        let exp: Double
        let nbf: Double?
        let signIn: String?

        private enum CodingKeys: String, CodingKey {
            case sub, aud, iss, exp, nbf
            case signIn = "session_id"
        }
    }

    func verify(_ token: some StringProtocol) throws(TokenError) -> SupabaseToken {
        let claims = try authenticClaims(of: token)
        let now = clock()
        let subject = claims.sub.lowercased()
        guard SignInID.isValid(subject), claims.aud.names.contains(Self.audience), isIssuer(claims.iss),
            claims.nbf.map({ $0 <= now + AccessTokens.leeway }) ?? true
        else { throw .invalid }
        let usableUntil = claims.exp + AccessTokens.leeway
        guard now < usableUntil else { throw .expired }
        let signIn = claims.signIn?.lowercased() ?? subject
        return SupabaseToken(
            subject: subject, signInID: SignInID.isValid(signIn) ? signIn : subject, usableUntil: usableUntil)
    }

    func isUsable(_ token: SupabaseToken) -> Bool {
        clock() < token.usableUntil
    }

    /// `https://<project>.supabase.co/auth/v1`, or wherever else the project is hosted.
    private func isIssuer(_ text: String) -> Bool {
        (text.hasPrefix("https://") || text.hasPrefix("http://")) && text.hasSuffix(Self.issuer)
    }

    /// The claims of a token that carries the secret's signature; nothing of it is believed before.
    private func authenticClaims(of text: some StringProtocol) throws(TokenError) -> Claims {
        let token = try JSONWebToken(text, longest: Self.longest)
        let header = try token.header()
        // A token of this service's own kind is none of theirs, whoever signed it.
        guard header.alg == "HS256", !header.hasCritical, header.typ.map({ $0.uppercased() == "JWT" }) ?? true,
            HMAC<SHA256>.isValidAuthenticationCode(token.signature, authenticating: token.signed, using: key)
        else { throw .invalid }
        return try token.claims()
    }
}
