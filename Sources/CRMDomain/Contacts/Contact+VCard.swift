import DomainKit

extension Contact {
    /// The properties without facts about the person or company.
    private static let ignored: Set = ["PRODID", "REV", "UID", "CLASS", "KIND", "SORT-STRING", "PROFILE", "CALSCALE"]
    /// Pictures, sounds and keys: only their names are given back.
    private static let binary: Set = ["PHOTO", "LOGO", "SOUND", "KEY"]

    /// What a vCard says.
    init(_ card: VCard) {
        self.init()
        var formattedName: String?
        var phones: [(rank: Int, text: String)] = []
        var emails: [(rank: Int, text: String)] = []
        var organisation: [String] = []
        for property in card.properties {
            let text = card.text(property.value)
            guard !text.isEmpty else { continue }
            switch property.name {
            case "FN" where formattedName == nil: formattedName = text
            case "N" where familyName == nil && givenName == nil:
                let parts = card.parts(property.value, separator: ";")
                familyName = parts[0].isEmpty ? nil : parts[0]
                givenName = parts.count > 1 && !parts[1].isEmpty ? parts[1] : nil
                for part in parts.dropFirst(2) { noteNotUnderstood(part) }
            case "ORG" where organisation.isEmpty:
                organisation = card.parts(property.value, separator: ";").filter { !$0.isEmpty }
            case "TITLE" where role == nil, "ROLE" where role == nil: role = text
            case "EMAIL" where Format.email.accepts(text):
                emails.append((property.flags.contains("PREF") ? 0 : 1, text))
            case "TEL" where property.flags.isDisjoint(with: ["FAX", "PAGER"]):
                let number = text.lowercased().hasPrefix("tel:") ? String(text.dropFirst(4)) : text
                let dialled = number.prefix { $0 != ";" }
                if let phone = phoneNumber(dialled) {
                    phones.append((Self.rank(property.flags), phone))
                } else {
                    noteNotUnderstood(text)
                }
            case "ADR" where street == nil && postalCode == nil && town == nil:
                readAddress(card.parts(property.value, separator: ";"))
            case "NOTE", "X-SIRET", "X-TVA", "X-VAT", "X-NDA":
                // The numbers of a company have no property of their own.
                for line in property.value.replacingEscapedLineFeeds.split(whereSeparator: \.isNewline) {
                    let line = card.text(String(line))
                    if !readNumbers(of: property.name == "NOTE" ? line : "\(property.name) \(line)") {
                        noteNotUnderstood(line)
                    }
                }
            case _ where Self.ignored.contains(property.name): break
            case _ where Self.binary.contains(property.name): noteNotUnderstood(property.name)
            default: noteNotUnderstood("\(property.name): \(text)")
            }
        }
        readOrganisation(organisation, formattedName: formattedName)
        self.phones = phones.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
            .map(\.element.text)
        self.emails = emails.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
            .map(\.element.text)
        for line in card.otherLines { noteNotUnderstood(line) }
    }

    /// The company, and the name of a card without `N`. A card without a person has the company in `FN`.
    private mutating func readOrganisation(_ organisation: [String], formattedName: String?) {
        company = organisation.first
        for unit in organisation.dropFirst() { noteNotUnderstood(unit) }
        guard let formattedName, fullName == nil else { return }
        if let company {
            if company != formattedName { (givenName, familyName) = BusinessCardLine.name(formattedName) }
        } else if BusinessCardLine.namesCompany(formattedName) {
            company = formattedName
        } else {
            (givenName, familyName) = BusinessCardLine.name(formattedName)
        }
    }

    /// The preferred number first, then a mobile one, then others.
    private static func rank(_ flags: Set<String>) -> Int {
        flags.contains("PREF") ? 0 : flags.contains("CELL") ? 1 : 2
    }

    /// The seven parts of an address: box, floor, street, town, region, postcode, country.
    private mutating func readAddress(_ parts: [String]) {
        func part(_ index: Int) -> String? {
            index < parts.count && !parts[index].isEmpty ? parts[index] : nil
        }
        let lines = [part(0), part(1), part(2)].compactMap(\.self)
        street = lines.isEmpty ? nil : lines.joined(separator: ", ")
        town = part(3)
        postalCode = part(5)
        for index in [4, 6] { noteNotUnderstood(part(index) ?? "") }
    }
}

extension String {
    /// This escaped value with line feeds in the place of their escapes.
    fileprivate var replacingEscapedLineFeeds: String {
        var result = ""
        var isEscaped = false
        for character in self {
            if isEscaped, character == "n" || character == "N" {
                result.removeLast()
                result.append("\n")
                isEscaped = false
            } else {
                result.append(character)
                isEscaped = character == "\\" && !isEscaped
            }
        }
        return result
    }
}
