import Crypto

/// The public key of a passkey: a point on P-256, for ECDSA with SHA-256 (ES256).
struct PasskeyPublicKey: Sendable {
    /// Of its two coordinates, in bytes.
    static let length = 64
    /// The number that COSE has for ES256 (RFC 9053, 2.1).
    static let algorithm: Int64 = -7

    /// Its two coordinates, of 32 bytes each.
    let bytes: [UInt8]
    private let key: P256.Signing.PublicKey

    /// - Throws: ``PasskeyError/malformed`` if it is no point on the curve.
    init(bytes: [UInt8]) throws(PasskeyError) {
        do { key = try P256.Signing.PublicKey(rawRepresentation: bytes) } catch { throw .malformed }
        self.bytes = bytes
    }

    /// Reads a key as COSE has it (RFC 9052, 7).
    ///
    /// - Throws: ``PasskeyError/algorithm`` for a key of another kind; ``PasskeyError/malformed``.
    init(_ cose: CBORValue) throws(PasskeyError) {
        guard case .map(let members) = cose else { throw .malformed }
        // Key type 2 has points on curves, of which 1 is P-256.
        guard cose[.integer(1)] == .integer(2), cose[.integer(3)] == .integer(Self.algorithm),
            cose[.integer(-1)] == .integer(1)
        else { throw .algorithm }
        guard members.count == 5, case .bytes(let x)? = cose[.integer(-2)], x.count == 32,
            case .bytes(let y)? = cose[.integer(-3)], y.count == 32
        else { throw .malformed }
        try self.init(bytes: x + y)
    }

    /// Whether `signature`, in DER, is one of `bytes` by this key.
    func hasSigned(_ bytes: [UInt8], _ signature: [UInt8]) -> Bool {
        do {
            return key.isValidSignature(try P256.Signing.ECDSASignature(derRepresentation: signature), for: bytes)
        } catch {
            return false
        }
    }
}
