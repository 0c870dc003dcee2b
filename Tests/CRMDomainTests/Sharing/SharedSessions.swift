import CRMDomain
import DomainKit
import JSON
import Testing

/// Calls `sessions.share` with sessions as it loads them.
enum SharedSessions {
    static let formats = ["text", "discord", "email", "sms"]
    static let audiences = ["formateur", "client", "interne"]

    /// The example of the specification, with a value for every field.
    static let complete: JSONValue = [
        "module": "SwiftUI avancé", "date": "2026-01-12", "debut": "09:00:00", "fin": "17:00:00", "duree_minutes": 480,
        "modalite": "P", "lieu": "12 rue de la Paix, 75002 Paris", "tarif_client": .number("1200.50"),
        "tarif_sous_traitant": .number("450.00"), "frais_rembourser": .number("80.00"), "marge": .number("670.50"),
        "ref_contrat": "CT-2026-014",
        "formateur": ["email": "elodie.dupont@exemple.fr", "telephone_uri": "tel:+33612345678"],
        "client": ["email": "achats+formation@client.example", "telephone_uri": "tel:+33140000000"],
    ]

    /// A session with the required values only.
    static let least: JSONValue = [
        "module": "Excel", "date": "2026-08-01", "debut": "13:30:00", "fin": "14:15:00", "duree_minutes": 45,
        "modalite": "D", "lieu": "À distance", "tarif_client": nil, "tarif_sous_traitant": nil,
        "frais_rembourser": nil, "marge": nil, "ref_contrat": nil, "formateur": nil, "client": nil,
    ]

    static func method() throws -> LoadedMethod {
        try #require(CRM.domain.methods.first { $0.entity == "sessions" && $0.name == "share" })
    }

    static func share(_ record: JSONValue, _ format: String, _ audience: String) throws -> JSONValue {
        try answer(record, ["format": .string(format), "audience": .string(audience)])
    }

    static func answer(_ record: JSONValue, _ parameters: [String: JSONValue]) throws -> JSONValue {
        guard case .value(_, let answer) = try method().answers else { return .null }
        return answer([record], parameters)
    }

    static func text(_ record: JSONValue, _ format: String = "text", _ audience: String = "formateur") throws -> String
    {
        try #require(try share(record, format, audience)["text"]?.text)
    }
}

extension JSONValue {
    /// This object with other values for some members.
    func with(_ changes: KeyValuePairs<String, JSONValue>) -> JSONValue {
        guard case .object(var object) = self else { return self }
        for (name, value) in changes {
            object.members.removeAll { $0.name == name }
            object.members.append(JSONObject.Member(name, value))
        }
        return .object(object)
    }

    /// The members of a result, each after a line with its name.
    var asGolden: String {
        guard case .object(let object) = self else { return "" }
        return object.members.map { "[\($0.name)]\n\($0.value.text ?? "?")\n" }.joined()
    }
}
