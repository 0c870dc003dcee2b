import Crypto

/// Tokens by which somebody who forgot a password proves to have read the account's mail.
///
/// Nothing of them is stored: a token is an HMAC over the account, the time it ends and the password hash it is meant
/// to replace. Using it changes that hash, so it works once.
struct ResetTokens: Sendable {
    /// In seconds.
    static let lifetime = 1800.0

    private let keys: [SymmetricKey]
    private let clock: @Sendable () -> Double

    init(secrets: [SigningSecret], clock: @escaping @Sendable () -> Double) {
        keys = secrets.map { $0.derived(for: "password reset") }
        self.clock = clock
    }

    /// - Parameter hash: the stored password hash; nil for an account that has none yet.
    func make(for userID: Int64, replacing hash: String?) -> String {
        let end = Int64(clock() + Self.lifetime)
        return Base64URL.encode(Self.bytes(userID) + Self.bytes(end) + Self.code(userID, end, hash, keys[0]))
    }

    /// What a token says of itself; to be believed once `isGood`.
    struct Claim: Sendable {
        let userID: Int64
        fileprivate let end: Int64
        fileprivate let code: [UInt8]
    }

    func claim(in token: String) -> Claim? {
        guard token.utf8.count == 64, let bytes = Base64URL.decode(token.utf8) else { return nil }
        return Claim(
            userID: Self.number(bytes[..<8]), end: Self.number(bytes[8..<16]), code: Array(bytes[16...]))
    }

    func isGood(_ claim: Claim, replacing hash: String?) -> Bool {
        guard clock() < Double(claim.end) else { return false }
        return keys.contains { ConstantTime.areEqual(Self.code(claim.userID, claim.end, hash, $0), claim.code) }
    }

    private static func code(_ userID: Int64, _ end: Int64, _ hash: String?, _ key: SymmetricKey) -> [UInt8] {
        let message = bytes(userID) + bytes(end) + (hash.map { [1] + Array($0.utf8) } ?? [0])
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
    }

    private static func bytes(_ number: Int64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        Int64(bitPattern: bytes.reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
    }
}
