import Crypto
import TextEncodings

/// What an authenticator signs, so that no signature serves twice: a random text with its end, and an HMAC of both.
///
/// The server does not store the challenges that it issues: every instance recognises those of the others, and strangers who
/// ask for challenges take no memory. The database remembers those that have served, for longer than they are valid.
struct PasskeyChallenge: Sendable {
    /// What a challenge is for. It is not recognised for another use.
    enum Purpose: Sendable, Equatable {
        /// A new passkey of the account.
        case addition(account: Int64)
        case signIn

        fileprivate var bytes: [UInt8] {
            switch self {
            case .addition(let account): Array("addition \(account)".utf8)
            case .signIn: Array("sign-in".utf8)
            }
        }
    }

    /// In seconds.
    static let lifetime = 300
    /// In bytes.
    private static let nonceLength = 16
    /// The end is a number of eight bytes.
    private static let contentLength = nonceLength + 8

    /// Unique among all challenges.
    let nonce: [UInt8]
    /// In seconds since 1970.
    let expiresAt: Int64
    private let code: [UInt8]

    /// The form in which a client has it.
    var text: String { Base64URL.encode(content + code) }

    private var content: [UInt8] {
        nonce + (0..<8).map { UInt8(truncatingIfNeeded: expiresAt >> Int64(56 - 8 * $0)) }
    }

    private init(nonce: [UInt8], expiresAt: Int64, code: [UInt8]) {
        self.nonce = nonce
        self.expiresAt = expiresAt
        self.code = code
    }

    /// Gives out challenges and recognises them, with keys that are derived from the server's secrets.
    struct Issuer: Sendable {
        /// The first key issues, all of them recognise.
        private let keys: [SymmetricKey]
        private let clock: @Sendable () -> Double

        init(secrets: [SigningSecret], clock: @escaping @Sendable () -> Double) {
            keys = secrets.map { $0.derived(for: "passkey challenge") }
            self.clock = clock
        }

        func challenge(for purpose: Purpose) -> PasskeyChallenge {
            let plain = PasskeyChallenge(
                nonce: RandomBytes.make(nonceLength), expiresAt: Int64(clock()) + Int64(PasskeyChallenge.lifetime),
                code: [])
            let code = HMAC<SHA256>.authenticationCode(for: purpose.bytes + plain.content, using: keys[0])
            return PasskeyChallenge(nonce: plain.nonce, expiresAt: plain.expiresAt, code: Array(code))
        }

        /// The challenge of this text; nil if it was not issued for this purpose, or has ended.
        func challenge(_ text: String, for purpose: Purpose) -> PasskeyChallenge? {
            guard let bytes = Base64URL.decode(text.utf8), bytes.count == contentLength + SHA256.byteCount else {
                return nil
            }
            let content = Array(bytes[..<contentLength])
            let code = Array(bytes[contentLength...])
            let isIssued = keys.contains { key in
                HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: purpose.bytes + content, using: key)
            }
            let expiresAt = content[nonceLength...].reduce(Int64(0)) { $0 << 8 | Int64($1) }
            guard isIssued, clock() < Double(expiresAt) else { return nil }
            return PasskeyChallenge(nonce: Array(content[..<nonceLength]), expiresAt: expiresAt, code: code)
        }
    }
}
