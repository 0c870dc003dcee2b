import Crypto
import DomainKit
import JSON
import TextEncodings

/// An authenticator in software, with the browser before it: it makes a key for ES256 and signs as a phone does. Each of its
/// members can be wrong.
struct SoftwareAuthenticator {
    var key = P256.Signing.PrivateKey()
    var id = (0..<24).map { _ in UInt8.random(in: 0...255) }
    var party = "localhost"
    var origin = "http://localhost"
    /// A second `origin` behind the first.
    var secondOrigin: String?
    var crossOrigin: JSONValue?
    /// What the browser says of the key, in the place of its id and its type.
    var namedID: [UInt8]?
    var rawID: [UInt8]?
    var credentialType = "public-key"
    /// What the browser does not say: members of the credential.
    var omitted: Set<String> = []
    /// Of the browser's statement; nil: the one that belongs to the call.
    var type: String?
    /// The person was there, and was recognised.
    var flags: UInt8 = 0x05
    var count: UInt32 = 0
    var algorithm: Int8 = -7
    /// Behind the key, or behind the flags and the count.
    var extensions: [UInt8] = []
    var transports: [String]? = ["internal", "hybrid"]
    /// The account that it was made for; nil: it does not know.
    var userHandle: String? = "0"
    /// Signs in its place.
    var signingKey: P256.Signing.PrivateKey?
    /// Changes the attestation object.
    var distort: @Sendable ([UInt8]) -> [UInt8] = { $0 }

    /// The credential that `navigator.credentials.create` gives, in the form of `toJSON()`.
    func created(_ challenge: String) -> JSONValue {
        created(challenge) { _ in text("fmt") + text("none") + text("attStmt") + [0xA0] }
    }

    /// The same with a statement about the key that `signer` has signed: by rights the key itself (WebAuthn, 8.2).
    func attested(_ challenge: String, by signer: P256.Signing.PrivateKey) throws -> JSONValue {
        try created(challenge) { signed in
            let signature = Array(try signer.signature(for: signed).derRepresentation)
            return text("fmt") + text("packed") + text("attStmt") + [0xA2] + text("alg") + [0x26] + text("sig")
                + bytes(signature)
        }
    }

    /// - Parameter statement: makes the format and the statement for what is to be signed.
    private func created(_ challenge: String, _ statement: ([UInt8]) throws -> [UInt8]) rethrows -> JSONValue {
        let client = clientData("webauthn.create", challenge)
        let data = authenticatorData(flags | 0x40, Array(repeating: 0, count: 16) + bytes16(id.count) + id + coseKey)
        let object = [0xA3] + (try statement(data + Array(SHA256.hash(data: client)))) + text("authData") + bytes(data)
        var response: [(String, JSONValue)] = [
            ("clientDataJSON", encoded(client)), ("attestationObject", encoded(distort(object))),
            ("publicKeyAlgorithm", -7),
        ]
        if let transports { response.append(("transports", .array(transports.map { .string($0) }))) }
        return credential(.merging(response))
    }

    /// The credential that `navigator.credentials.get` gives. It counts before.
    func signed(_ challenge: String) throws -> JSONValue {
        let client = clientData("webauthn.get", challenge)
        let data = authenticatorData(flags, [])
        let signature = try (signingKey ?? key).signature(for: data + Array(SHA256.hash(data: client)))
        var response: [(String, JSONValue)] = [
            ("clientDataJSON", encoded(client)), ("authenticatorData", encoded(data)),
            ("signature", encoded(Array(signature.derRepresentation))),
        ]
        if let userHandle { response.append(("userHandle", encoded(Array(userHandle.utf8)))) }
        return credential(.merging(response))
    }

    private func credential(_ response: JSONValue) -> JSONValue {
        let members: [(String, JSONValue)] = [
            ("id", encoded(namedID ?? id)), ("rawId", encoded(rawID ?? namedID ?? id)),
            ("type", .string(credentialType)), ("response", response), ("authenticatorAttachment", "platform"),
            ("clientExtensionResults", [:]),
        ]
        return .merging(members.filter { !omitted.contains($0.0) })
    }

    private func clientData(_ type: String, _ challenge: String) -> [UInt8] {
        var members: [(String, JSONValue)] = [
            ("type", .string(self.type ?? type)), ("challenge", .string(challenge)), ("origin", .string(origin)),
        ]
        if let crossOrigin { members.append(("crossOrigin", crossOrigin)) }
        let text = JSONValue.merging(members).json
        guard let secondOrigin else { return Array(text.utf8) }
        return Array((text.dropLast() + #","origin":"\#(secondOrigin)"}"#).utf8)
    }

    private func authenticatorData(_ flags: UInt8, _ credential: [UInt8]) -> [UInt8] {
        let all = extensions.isEmpty ? flags : flags | 0x80
        let number = (0..<4).map { UInt8(truncatingIfNeeded: count >> UInt32(24 - 8 * $0)) }
        return Array(SHA256.hash(data: Array(party.utf8))) + [all] + number + credential + extensions
    }

    private var coseKey: [UInt8] {
        let point = Array(key.publicKey.rawRepresentation)
        let number = UInt8(bitPattern: -1 - algorithm) | 0x20
        return [0xA5, 0x01, 0x02, 0x03, number, 0x20, 0x01, 0x21] + bytes(Array(point[..<32])) + [0x22]
            + bytes(Array(point[32...]))
    }

    private func text(_ text: String) -> [UInt8] { [0x60 | UInt8(text.utf8.count)] + Array(text.utf8) }
    private func bytes(_ bytes: [UInt8]) -> [UInt8] { [0x59] + bytes16(bytes.count) + bytes }
    private func bytes16(_ count: Int) -> [UInt8] { [UInt8(count >> 8), UInt8(count & 0xFF)] }
    private func encoded(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }
}
