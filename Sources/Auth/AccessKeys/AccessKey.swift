import Crypto
import TextEncodings

/// A key that a device or a script presents in the place of an access token: `lt_` and 256 random bits.
///
/// The database stores its SHA-256. Unlike a password, a key is not one of few that people choose, so that a fast hash
/// without a salt protects it: no list of candidates contains it.
struct AccessKey: Sendable, Equatable {
    static let prefix = "lt_"
    private static let length = 32
    private static let textLength = 46

    private let secret: [UInt8]

    /// A new key.
    init() {
        secret = RandomBytes.make(Self.length)
    }

    /// Nil if `text` does not have the form of a key.
    init?(_ text: some StringProtocol) {
        guard text.utf8.count == Self.textLength, text.hasPrefix(Self.prefix),
            let secret = Base64URL.decode(text.utf8.dropFirst(Self.prefix.utf8.count)), secret.count == Self.length
        else { return nil }
        self.secret = secret
    }

    /// The form in which the client keeps the key.
    var text: String { Self.prefix + Base64URL.encode(secret) }

    /// What the database stores of the key.
    var hash: [UInt8] { Array(SHA256.hash(data: secret)) }
}

/// An access key as the database has it, as far as calls depend on it.
struct StoredAccessKey: Sendable, Equatable {
    let id: Int64
    let hash: [UInt8]
    /// Whose key it is.
    let member: Member
    let account: Int64
    let acting: HeldRole
    /// In seconds since 1970.
    let expiresAt: Double?
    let isRevoked: Bool
    /// Grows with each change, so that a state that arrives late does not replace a newer one.
    let version: Int64
}
