import Crypto
import JSON

/// The web site that passkeys belong to.
package struct RelyingParty: Sendable {
    /// A host. Browsers use a passkey only on pages of this host, and of hosts below it.
    package let id: String
    /// The origins of the pages that may use passkeys here.
    package let origins: [String]

    package init(id: String, origins: [String]) {
        self.id = id
        self.origins = origins
    }

    fileprivate var hash: [UInt8] { Array(SHA256.hash(data: Array(id.utf8))) }
}

/// A passkey that a browser has just made: a credential of `navigator.credentials.create`.
package struct NewPasskey: Sendable {
    /// What the browser says that the authenticator calls it.
    let credentialID: [UInt8]
    let clientData: [UInt8]
    let attestationObject: [UInt8]
    /// How the authenticator can be reached, for the browser.
    let transports: [String]

    package init(
        credentialID: [UInt8], clientData: [UInt8], attestationObject: [UInt8], transports: [String]
    ) {
        self.credentialID = credentialID
        self.clientData = clientData
        self.attestationObject = attestationObject
        self.transports = transports
    }
}

/// A signature by a passkey: a credential of `navigator.credentials.get`.
package struct PasskeySignature: Sendable {
    let credentialID: [UInt8]
    let clientData: [UInt8]
    let authenticatorData: [UInt8]
    let signature: [UInt8]
    /// What ``PasskeyUser/handle`` was when the passkey was made.
    let userHandle: [UInt8]

    package init(
        credentialID: [UInt8], clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8],
        userHandle: [UInt8]
    ) {
        self.credentialID = credentialID
        self.clientData = clientData
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
    }
}

/// Why a passkey is not accepted. A sign-in has the same answer for all of these reasons.
package enum PasskeyError: String, Error, Sendable, Equatable {
    /// The bytes are not what an authenticator or a browser writes.
    case malformed
    /// The challenge was not issued for this use, has ended or has served before.
    case challenge
    /// A page of another site, or one in a frame of another site, has asked.
    case site
    /// The key is not one for ES256.
    case algorithm
    /// The authenticator has not verified who is there.
    case unverified
    /// The signature is not one by this key.
    case signature
    /// The passkey is known already.
    case known
    /// The account has as many passkeys as it may have.
    case full
    /// There is no such active account.
    case account
}

/// A new passkey that may be kept, once: its challenge may have served before.
struct VerifiedPasskey: Sendable {
    let credential: AuthenticatorData.Credential
    let signCount: Int64
    let mayBeBackedUp: Bool
    let challenge: PasskeyChallenge
}

/// A signature by a known passkey, which counts once: its challenge may have served before.
struct VerifiedSignature: Sendable {
    let signCount: Int64
    let mayBeBackedUp: Bool
    let challenge: PasskeyChallenge
}

/// Verifies what browsers and authenticators answer (WebAuthn, 7.1 and 7.2).
struct PasskeyCeremony: Sendable {
    let party: RelyingParty
    let challenges: PasskeyChallenge.Issuer

    /// Verifies a new passkey.
    ///
    /// The service does not ask which model the authenticator is. So the browser sends no statement about it (attestation), or
    /// one that the new key itself has signed.
    func verify(
        _ new: NewPasskey, for purpose: PasskeyChallenge.Purpose
    ) throws(PasskeyError) -> VerifiedPasskey {
        let challenge = try challenge(in: new.clientData, type: "webauthn.create", for: purpose)
        var reader = CBORReader(new.attestationObject[...])
        let object = try mapError(reader.readItem())
        guard reader.isAtEnd, case .bytes(let bytes)? = object["authData"], case .text(let format)? = object["fmt"],
            let statement = object["attStmt"]
        else { throw .malformed }
        let data = try verified(bytes)
        guard let credential = data.credential, credential.id == new.credentialID else { throw .malformed }
        switch format {
        case "none":
            guard statement == .map([]) else { throw .malformed }
        case "packed":
            guard statement["x5c"] == nil, statement["alg"] == .integer(PasskeyPublicKey.algorithm),
                case .bytes(let signature)? = statement["sig"],
                credential.key.hasSigned(Self.signed(bytes, new.clientData), signature)
            else { throw .signature }
        default: throw .malformed
        }
        return VerifiedPasskey(
            credential: credential, signCount: data.signCount, mayBeBackedUp: data.mayBeBackedUp, challenge: challenge)
    }

    /// Verifies a signature.
    ///
    func verify(
        _ given: PasskeySignature, by known: PasskeyStore.Known
    ) throws(PasskeyError) -> VerifiedSignature {
        let challenge = try challenge(in: given.clientData, type: "webauthn.get", for: .signIn)
        let data = try verified(given.authenticatorData)
        guard known.mayBeBackedUp ?? data.mayBeBackedUp == data.mayBeBackedUp else { throw .malformed }
        guard known.key.hasSigned(Self.signed(given.authenticatorData, given.clientData), given.signature) else {
            throw .signature
        }
        return VerifiedSignature(signCount: data.signCount, mayBeBackedUp: data.mayBeBackedUp, challenge: challenge)
    }

    private func verified(_ bytes: [UInt8]) throws(PasskeyError) -> AuthenticatorData {
        let data = try AuthenticatorData(bytes)
        guard data.relyingPartyHash == party.hash else { throw .site }
        guard data.isUserPresent, data.isUserVerified else { throw .unverified }
        return data
    }

    /// The challenge in what the browser says about the page.
    private func challenge(
        in clientData: [UInt8], type: String, for purpose: PasskeyChallenge.Purpose
    ) throws(PasskeyError) -> PasskeyChallenge {
        let document = clientData.withUnsafeBytes { bytes -> JSONDocument? in
            do throws(JSONError) { return try JSONReader.read(bytes) } catch { return nil }
        }
        // Of a member that is there twice, others may read the second one.
        guard let document, document.duplicates.isEmpty else { throw .malformed }
        let value = document.value
        guard value["type"]?.text == type, let text = value["challenge"]?.text else { throw .malformed }
        guard let origin = value["origin"]?.text, party.origins.contains(origin),
            value["crossOrigin"] ?? false == false, value["topOrigin"] == nil
        else { throw .site }
        guard let challenge = challenges.challenge(text, for: purpose) else { throw .challenge }
        return challenge
    }

    private static func signed(_ authenticatorData: [UInt8], _ clientData: [UInt8]) -> [UInt8] {
        authenticatorData + Array(SHA256.hash(data: clientData))
    }
}
