import DomainKit
import JSON

/// What a vCard or a business card says of a person and a company.
struct Contact {
    var givenName: String?
    var familyName: String?
    var company: String?
    var role: String?
    var emails: [String] = []
    var phones: [String] = []
    var street: String?
    var postalCode: String?
    var town: String?
    var siret: String?
    var vatNumber: String?
    var nda: String?
    private(set) var notUnderstood: [String] = []

    /// At most so many pieces of text are given back, each with at most so many characters.
    private static let limit = (pieces: 100, characters: 200)

    /// Notes a piece of the text that has no place.
    mutating func noteNotUnderstood(_ piece: String) {
        let piece = piece.trimmed
        guard !piece.isEmpty, notUnderstood.count < Self.limit.pieces else { return }
        notUnderstood.append(
            piece.count > Self.limit.characters ? piece.prefix(Self.limit.characters - 1) + "…" : piece)
    }

    /// The name as one text: `Jeanne Martin`.
    var fullName: String? {
        let name = [givenName, familyName].compactMap(\.self).joined(separator: " ")
        return name.isEmpty ? nil : name
    }

    /// The values that `create` of the entity accepts. What has no column there, or is no value of its column, is noted as
    /// not understood.
    mutating func values(for entity: Entity) -> JSONObject {
        let isClient = entity.column(named: "raison_sociale") != nil
        let proposed: [(column: String, text: String?)] =
            isClient
            ? [
                ("raison_sociale", company ?? fullName), ("nom_contact", company == nil ? nil : fullName),
                ("specialite", role),
            ]
            : [
                ("prenom", givenName), ("nom", familyName), ("specialite", role), ("societe", company),
            ]
        let shared: [(column: String, text: String?)] = [
            ("email", emails.first), ("telephone", phones.first), ("siret", siret), ("numero_tva", vatNumber),
            ("nda", nda), ("rue", street), ("code_postal", postalCode), ("ville", town),
        ]
        var values = JSONObject()
        for (name, text) in proposed + shared {
            guard let text else { continue }
            if let column = entity.column(named: name), accepts(column, text) {
                values.members.append(JSONObject.Member(name, .string(text)))
            } else {
                noteNotUnderstood(text)
            }
        }
        if !isClient, company != nil, values["societe"] != nil {
            values.members.append(JSONObject.Member("exterieur", 1))
        }
        for text in emails.dropFirst() + phones.dropFirst() { noteNotUnderstood(text) }
        return values
    }

    private func accepts(_ column: Column, _ text: String) -> Bool {
        do throws(ValueError) {
            try column.check(.string(text))
            return true
        } catch {
            return false
        }
    }
}

extension StringProtocol {
    /// This text without white space and control characters at both ends, and with one space for those between words.
    var trimmed: String {
        split { $0.isWhitespace || $0.unicodeScalars.allSatisfy { $0.properties.generalCategory == .control } }
            .joined(separator: " ")
    }
}

/// A number as people write it, in at most the twenty characters of its column; nil if it is none.
func phoneNumber(_ text: some StringProtocol) -> String? {
    let text = text.trimmed
    for candidate in [text, text.filter { !$0.isWhitespace }]
    where candidate.unicodeScalars.count <= 20 && Format.phone.accepts(candidate) {
        return candidate
    }
    return nil
}
