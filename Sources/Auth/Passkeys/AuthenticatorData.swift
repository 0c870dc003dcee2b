/// What an authenticator says with each key that it makes and each signature (WebAuthn, 6.1).
struct AuthenticatorData: Sendable {
    /// SHA-256 of the id of the relying party that the key belongs to.
    let relyingPartyHash: [UInt8]
    /// Whether a person was there.
    let isUserPresent: Bool
    /// Whether the authenticator has recognised the person, by a PIN or a fingerprint for instance.
    let isUserVerified: Bool
    /// Whether the key may be kept elsewhere, too, such as in an account of the phone's maker. It never changes.
    let mayBeBackedUp: Bool
    /// How often the key has signed, as far as the authenticator counts: 0 if it does not.
    let signCount: Int64
    /// A key that was just made.
    let credential: Credential?

    struct Credential: Sendable {
        let id: [UInt8]
        let key: PasskeyPublicKey
    }

    /// In bytes.
    static let maxLength = 4_096
    /// In bytes.
    static let maxIDLength = 1_023

    /// - Throws: ``PasskeyError/malformed``; ``PasskeyError/algorithm`` for a key of another kind.
    init(_ bytes: [UInt8]) throws(PasskeyError) {
        guard (37...Self.maxLength).contains(bytes.count) else { throw .malformed }
        relyingPartyHash = Array(bytes[..<32])
        let flags = bytes[32]
        isUserPresent = flags & 0x01 != 0
        isUserVerified = flags & 0x04 != 0
        // Only a key that may be backed up can be backed up (WebAuthn, 6.1.3).
        mayBeBackedUp = flags & 0x08 != 0
        guard flags & 0x10 == 0 || mayBeBackedUp else { throw .malformed }
        signCount = bytes[33..<37].reduce(0) { $0 << 8 | Int64($1) }
        var rest = bytes[37...]
        if flags & 0x40 != 0 {
            (credential, rest) = try Self.credential(rest)
        } else {
            credential = nil
        }
        if flags & 0x80 != 0 {
            var reader = CBORReader(rest)
            guard case .map = try mapError(reader.readItem()), reader.isAtEnd else { throw .malformed }
        } else if !rest.isEmpty {
            throw .malformed
        }
    }

    /// The key at the start of `bytes`, and what follows it.
    private static func credential(
        _ bytes: ArraySlice<UInt8>
    ) throws(PasskeyError) -> (Credential, rest: ArraySlice<UInt8>) {
        // The id of the model comes first, then the length of the key's id.
        let header = bytes.prefix(18)
        guard header.count == 18 else { throw .malformed }
        let length = header.suffix(2).reduce(0) { $0 << 8 | Int($1) }
        let id = bytes.dropFirst(18).prefix(length)
        guard (1...maxIDLength).contains(length), id.count == length else { throw .malformed }
        var reader = CBORReader(bytes.dropFirst(18 + length))
        let key = try PasskeyPublicKey(try mapError(reader.readItem()))
        return (Credential(id: Array(id), key: key), reader.rest)
    }
}

/// The result of reading CBOR, with its error as that of a passkey.
func mapError<Value>(_ read: @autoclosure () throws(CBORError) -> Value) throws(PasskeyError) -> Value {
    do throws(CBORError) { return try read() } catch { throw .malformed }
}
