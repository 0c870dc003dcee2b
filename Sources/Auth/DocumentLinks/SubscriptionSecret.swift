import Crypto
import TextEncodings

/// The secret in the link of a subscription: 256 random bits, and a tag by which the server recognises the secrets that it
/// made. The database stores the hash alone.
struct SubscriptionSecret: Sendable, Equatable {
    private static let length = 32
    private static let tagLength = 16

    private let bytes: [UInt8]
    private let tag: [UInt8]

    /// A new secret.
    init(taggedWith key: SymmetricKey) {
        bytes = RandomBytes.make(Self.length)
        tag = Self.tag(of: bytes, key)
    }

    /// Nil if `text` does not have the form of a secret.
    init?(_ text: Substring) {
        guard text.utf8.count == 64, let decoded = Base64URL.decode(text.utf8) else { return nil }
        bytes = Array(decoded[..<Self.length])
        tag = Array(decoded[Self.length...])
    }

    /// The form in the link.
    var text: String { Base64URL.encode(bytes + tag) }

    var hash: [UInt8] { Array(SHA256.hash(data: bytes)) }

    /// Whether the secret was made with this key.
    func isTagged(with key: SymmetricKey) -> Bool {
        ConstantTime.areEqual(tag, Self.tag(of: bytes, key))
    }

    private static func tag(of bytes: [UInt8], _ key: SymmetricKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key).prefix(tagLength))
    }
}
