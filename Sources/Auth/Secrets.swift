import Crypto

/// A secret of the server, as its configuration gives it. The key is the bytes of the text, unchanged.
package struct SigningSecret: Sendable {
    /// The first eight hex digits of the secret's SHA-256. Tokens name their secret by it; it discloses none of the
    /// secret.
    package let keyID: String
    let key: SymmetricKey

    /// The length of an HMAC-SHA256 code, in bytes.
    fileprivate static let minLength = 32

    /// - Throws: `.empty` or `.tooShort`.
    package init(_ text: String) throws(SigningSecretError) {
        let bytes = Array(text.utf8)
        guard bytes.count >= Self.minLength else { throw bytes.isEmpty ? .empty : .tooShort(bytes: bytes.count) }
        key = SymmetricKey(data: bytes)
        keyID = SHA256.hash(data: bytes).prefix(4).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// Several secrets, separated by commas. The first signs tokens, all of them verify tokens.
    package static func list(_ text: String) throws(SigningSecretError) -> [SigningSecret] {
        var secrets: [SigningSecret] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            secrets.append(try SigningSecret(String(part)))
        }
        return secrets
    }

    /// A key for one purpose (HKDF). Keys for different purposes are independent of each other.
    func derived(for purpose: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, info: Array(purpose.utf8), outputByteCount: SHA256.byteCount)
    }
}

/// Why a text cannot be used as a secret.
package enum SigningSecretError: Error, Sendable, Equatable, CustomStringConvertible {
    case empty
    /// The length of the text in UTF-8.
    case tooShort(bytes: Int)

    package var description: String {
        switch self {
        case .empty: "the secret is empty"
        case .tooShort(let bytes): "a secret needs at least \(SigningSecret.minLength) bytes, this one has \(bytes)"
        }
    }
}

/// Random bytes of the system's cryptographic generator.
enum RandomBytes {
    static func make(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in generator.next() }
    }
}

/// A comparison of secrets. Its duration does not depend on the position of the first difference.
enum ConstantTime {
    static func areEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for (one, other) in zip(left, right) { difference |= one ^ other }
        return difference == 0
    }
}
