import Crypto
import Synchronization
import TextEncodings

/// The token by which whoever runs the service makes the first administrator: 256 bits, good once, known to this
/// process alone and to it by its hash only.
final class SetupToken: Sendable {
    private let hash = Mutex<[UInt8]?>(nil)

    /// A new token; one that was made before is good no longer.
    func make() -> String {
        let token = Base64URL.encode(RandomBytes.make(32))
        hash.withLock { $0 = Self.hash(of: token) }
        return token
    }

    func isGood(_ token: String) -> Bool {
        guard let hash = hash.withLock({ $0 }) else { return false }
        return ConstantTime.areEqual(Self.hash(of: token), hash)
    }

    func forget() {
        hash.withLock { $0 = nil }
    }

    private static func hash(of token: String) -> [UInt8] {
        Array(SHA256.hash(data: Array(token.utf8)))
    }
}
