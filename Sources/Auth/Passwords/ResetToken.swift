import Crypto
import TextEncodings

/// A token by which somebody who forgot a password proves to have read the account's mail: 256 bits, of which the
/// database holds a hash.
struct ResetToken: Sendable {
    /// In minutes.
    static let lifetime = 30

    private let secret: [UInt8]

    init() { secret = RandomBytes.make(32) }

    /// Reads a client's text; nil when it has not the form of one.
    init?(_ text: String) {
        guard text.utf8.count == 43, let bytes = Base64URL.decode(text.utf8) else { return nil }
        secret = bytes
    }

    /// What is mailed.
    var text: String { Base64URL.encode(secret) }

    /// What the database holds.
    var hash: [UInt8] { Array(SHA256.hash(data: secret)) }
}
