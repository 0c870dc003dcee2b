import Auth
import Crypto
import DomainKit
import JSON

/// The parameters that every method that writes takes beside its own.
package enum WriteParameters {
    static let key = MethodParameter(
        optional: "idempotency_key", .idempotencyKey,
        summary:
            "Une clé choisie par le client\u{202F}: le même appel, renvoyé sous la même clé dans les 24\u{A0}heures, n’écrit"
            + " qu’une fois\u{202F}; un enregistrement supprimé depuis y est {\"id\", \"deleted\": true}.")
    static let dryRun = MethodParameter(
        "dry_run", .flag, default: false,
        summary: "Essayer seulement\u{202F}: la réponse est celle de l’appel, mais rien n’est gardé.")

    package static let parameters: [any DeclaredParameter] = [key, dryRun]

    /// - Parameters:
    ///   - method: the name of the method that is called.
    ///   - digested: the params, as the digest has them.
    ///   - role: in which the call is made.
    static func decode(
        _ params: Params, method: String, digested: JSONObject, as role: ActingRole?
    ) -> WriteTerms {
        let once = params[key].map { key in
            let names = parameters.map(\.name)
            let members = digested.members.filter { !names.contains($0.name) }
            return IdempotencyKey(
                key: key, method: method,
                digest: CallDigest.sha256(method: method, params: JSONObject(members), as: role))
        }
        return WriteTerms(once: once, isDryRun: params[dryRun])
    }
}

extension ParameterType<String> {
    static let maxKeyLength = 200

    /// A text with something visible, which the client chooses.
    fileprivate static var idempotencyKey: Self {
        let schema = FieldType.text(Patterns.visibleText, maxLength: maxKeyLength)
        return Self(schema: schema) { (value) throws(ValueError) in
            let text = try FieldType.text(maxLength: maxKeyLength).postgresText(of: value)
            if text.isBlank { throw .blank }
            return text
        }
    }
}

/// The digest by which a call is recognised when it is sent again.
enum CallDigest {
    /// - Parameter role: in which the call is made. With another subject it is another call: an account may stand for several.
    static func sha256(method: String, params: JSONObject, as role: ActingRole? = nil) -> [UInt8] {
        var parts: [JSONValue] = [.string(method), .object(params)]
        if let role, let subject = role.subject {
            parts += [.string(role.served.role.name), .number(String(subject))]
        }
        var bytes: [UInt8] = []
        bytes.appendCanonical(.array(parts))
        return Array(SHA256.hash(data: bytes))
    }
}

extension [UInt8] {
    /// Appends `value` as JSON text without white space. The members of objects are sorted by the bytes of their names, so
    /// that their order does not matter; numbers keep their digits.
    mutating func appendCanonical(_ value: JSONValue) {
        switch value {
        case .null: append("null")
        case .bool(let isTrue): append(isTrue ? "true" : "false")
        case .number(let digits): append(contentsOf: digits.utf8)
        case .string(let text): appendJSONString(text)
        case .array(let elements):
            append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { append(UInt8(ascii: ",")) }
                appendCanonical(element)
            }
            append(UInt8(ascii: "]"))
        case .object(let object):
            append(UInt8(ascii: "{"))
            let sorted = object.members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            for (index, member) in sorted.enumerated() {
                if index > 0 { append(UInt8(ascii: ",")) }
                appendJSONString(member.name)
                append(UInt8(ascii: ":"))
                appendCanonical(member.value)
            }
            append(UInt8(ascii: "}"))
        }
    }
}
