import Crypto
import PostgresDriver
import Synchronization
import TextEncodings

extension AuthService {
    /// A new one-time token for ``createFirstAdmin(token:email:username:password:deadline:)``, to be shown only to the
    /// operator who starts the server. Nil if the database has an active administrator.
    package func makeSetupToken(deadline: ContinuousClock.Instant? = nil) async throws(AuthError) -> String? {
        let rows = try await database.row(of: Self.hasAdmin, deadline: deadline)
        return rows.text(0, 0) == "true" ? nil : setupToken.make()
    }

    /// Creates the first administrator.
    ///
    /// The token is used up once the account exists. It also becomes invalid when an active administrator was created in
    /// another way.
    /// - Returns: the id of the account. Nil if the token is not valid, or no longer.
    /// - Throws: `.password`, `.emailTaken`, or `.database` for an e-mail that the database rejects.
    package func createFirstAdmin(
        token: String, email: String, username: String?, password: String, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> Int64? {
        guard setupToken.isValid(token) else { return nil }
        let hash = try await passwordHasher.acceptedHash(of: password, email: email, deadline: deadline)
        let step = Step(Self.firstAdmin, [.text(email), username.map { .text($0) } ?? .null, .text(hash)])
        let rows = try await database.insertAccount(step, deadline: deadline)
        // There is an administrator now, whether this call created it or another one did.
        setupToken.invalidate()
        return rows.text(0, 0).flatMap { Int64($0) }
    }

    /// In any company: further ones are made with their administrators.
    private static let hasAdmin = Statement(
        "SELECT EXISTS (SELECT FROM users u WHERE u.role = 'admin' AND u.is_member)::text")
    private static let firstAdmin = Statement("SELECT kernel.first_admin($1::text, $2::text, $3::text)::text")
}

/// The token that lets an operator create the first administrator: 256 bits, valid once. Only its hash is kept, in the
/// memory of this process.
final class SetupToken: Sendable {
    private let hash = Mutex<[UInt8]?>(nil)

    /// Replaces the token by a new one.
    func make() -> String {
        let token = Base64URL.encode(RandomBytes.make(32))
        hash.withLock { $0 = Self.hash(of: token) }
        return token
    }

    func isValid(_ token: String) -> Bool {
        guard let hash = hash.withLock({ $0 }) else { return false }
        return ConstantTime.areEqual(Self.hash(of: token), hash)
    }

    func invalidate() {
        hash.withLock { $0 = nil }
    }

    private static func hash(of token: String) -> [UInt8] {
        Array(SHA256.hash(data: Array(token.utf8)))
    }
}
