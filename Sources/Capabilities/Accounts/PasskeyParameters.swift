import Auth
import DomainKit
import JSON
import Outbox
import RPCServer
import TextEncodings

extension ParameterType<[UInt8]> {
    /// Bytes as base64url without padding.
    ///
    /// - Parameter max: of the text.
    fileprivate static func base64URL(max: Int) -> Self {
        let schema = FieldType.text(Patterns.bytes, maxLength: max).adding("minLength", 2)
        return Self(schema: schema, example: "AAAA") { (value) throws(ValueError) in
            let text = try FieldType.text(maxLength: max).postgresText(of: value)
            guard let bytes = Base64URL.decode(text.utf8), !bytes.isEmpty else {
                throw .format(message: AccountProblem.notBase64URL)
            }
            return bytes
        }
    }
}

/// The credentials of browsers, in the forms of `PublicKeyCredential.toJSON()`. What browsers say beyond that is ignored.
enum PasskeyParameters {
    private static let id = MethodParameter("id", .base64URL(max: 1_364), summary: "L’identifiant de la clé.")
    private static let rawID = MethodParameter(
        "rawId", .base64URL(max: 1_364), summary: "Le même identifiant, comme les navigateurs le répètent.")
    private static let type = MethodParameter("type", .choice(["public-key"]), summary: "Le genre de la clé.")
    private static let clientData = MethodParameter(
        "clientDataJSON", .base64URL(max: 8_192), summary: "Ce que le navigateur dit de la page.")
    private static let attestation = MethodParameter(
        "attestationObject", .base64URL(max: 8_192), summary: "La nouvelle clé.")
    private static let transports = MethodParameter(
        optional: "transports", .list(of: .field(.text(maxLength: 20)), max: 8),
        summary: "Comment joindre l’authentificateur.")
    private static let authenticatorData = MethodParameter(
        "authenticatorData", .base64URL(max: 5_464), summary: "Ce que dit l’authentificateur.")
    private static let signature = MethodParameter("signature", .base64URL(max: 200), summary: "Sa signature.")
    private static let userHandle = MethodParameter(
        "userHandle", .base64URL(max: 88), summary: "Le compte, tel que la clé le connaît.")

    /// A credential of `navigator.credentials.create`.
    static let new = credential(
        [clientData, attestation, transports], summary: "La clé que navigator.credentials.create a faite."
    ) { id, response in
        NewPasskey(
            credentialID: id, clientData: response[clientData], attestationObject: response[attestation],
            // Only the words that browsers have for them are of use to them.
            transports: (response[transports] ?? []).filter { word in
                word.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
            })
    }

    /// A credential of `navigator.credentials.get`.
    static let signed = credential(
        [clientData, authenticatorData, signature, userHandle],
        summary: "La réponse de navigator.credentials.get."
    ) { id, response in
        PasskeySignature(
            credentialID: id, clientData: response[clientData], authenticatorData: response[authenticatorData],
            signature: response[signature], userHandle: response[userHandle])
    }

    private static func credential<Credential: Sendable>(
        _ members: [any DeclaredParameter], summary: String,
        _ make: @escaping @Sendable (_ id: [UInt8], _ response: Params) -> Credential
    ) -> MethodParameter<Credential> {
        let response = MethodParameter<Params>("response", .openObject(members) { $0 }, summary: "Sa réponse.")
        let object = ParameterType<Credential?>.openObject([id, rawID, type, response]) { given in
            given[rawID] == given[id] ? make(given[id], given[response]) : nil
        }
        let type = ParameterType<Credential>(schema: object.schema, example: object.example) { value, path, problems in
            guard let decoded = object.decode(value, path, &problems) else { return nil }
            if decoded == nil {
                problems.append(AccountProblem.otherIdentifier.problem(at: path.appendingPointer("rawId")))
            }
            return decoded
        }
        return MethodParameter("credential", .verified(type), summary: summary)
    }
}
