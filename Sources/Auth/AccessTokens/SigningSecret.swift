import Crypto

/// A key of the server's own, as its configuration gives it: the bytes as they stand.
package struct SigningSecret: Sendable {
    /// The first eight hex digits of the secret's SHA-256: tells which secret signed a token, and nothing of it.
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

    /// Several secrets, separated by commas: the first signs, all verify.
    package static func list(_ text: String) throws(SigningSecretError) -> [SigningSecret] {
        var secrets: [SigningSecret] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            secrets.append(try SigningSecret(String(part)))
        }
        return secrets
    }

    /// A key for one purpose, independent of every other purpose's.
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
