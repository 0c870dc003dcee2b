/// A line of a business card, and what it seems to be.
struct BusinessCardLine {
    let text: String
    /// The words in lower case, without signs.
    private let words: [String]

    init(_ text: String) {
        self.text = text
        words = text.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "&" }.map(String.init)
    }

    private static let legalForms: Set = [
        "sarl", "sas", "sasu", "sa", "eurl", "ei", "eirl", "snc", "sci", "scop", "selarl", "gie", "gmbh", "ltd", "inc",
        "llc", "srl", "sprl", "bv", "association", "s.a.r.l", "s.a.s",
    ]
    private static let companyWords: Set = [
        "formation", "formations", "conseil", "conseils", "consulting", "cabinet", "institut", "agence", "groupe",
        "société", "école", "campus", "académie", "centre", "lycée", "université", "clinique", "banque", "mutuelle",
        "laboratoires", "imprimerie", "transports", "atelier", "éditions", "studio", "solutions", "services",
        "entreprise", "compagnie", "coopérative", "&",
    ]
    private static let roleWords: Set = [
        "directeur", "directrice", "gérant", "gérante", "responsable", "formateur", "formatrice", "consultant",
        "consultante", "chef", "cheffe", "chargé", "chargée", "ingénieur", "ingénieure", "président", "présidente",
        "fondateur", "fondatrice", "assistant", "assistante", "commercial", "commerciale", "coach", "manager",
        "développeur", "développeuse", "expert", "experte", "adjoint", "adjointe", "coordinateur", "coordinatrice",
        "ceo", "cto", "drh", "daf",
    ]
    private static let streetWords: Set = [
        "rue", "avenue", "av", "bd", "boulevard", "place", "chemin", "route", "allée", "allées", "quai", "impasse",
        "cours", "square", "faubourg", "lieu-dit", "zac", "esplanade", "passage", "montée", "résidence", "bp", "za",
        "zi",
        "straße", "street",
    ]
    private static let registers: Set = ["siret", "siren", "tva", "rcs", "nda", "ape", "naf"]
    private static let titles: Set = [
        "m", "mr", "mme", "mlle", "dr", "docteur", "me", "maître", "pr", "monsieur", "madame",
    ]

    /// Whether a word shows that the line is the name of a company.
    static func namesCompany(_ text: String) -> Bool {
        let line = BusinessCardLine(text)
        let dotless = text.lowercased().filter { $0 != "." }.split(separator: " ").map(String.init)
        return !line.namesRole
            && (dotless.contains { legalForms.contains($0) } || line.words.contains { companyWords.contains($0) })
    }

    /// Whether a word is that of a profession or post.
    var namesRole: Bool { words.contains { Self.roleWords.contains($0) } }

    /// Whether a word is that of a street.
    var namesStreet: Bool {
        guard words.contains(where: { Self.streetWords.contains($0) }) else { return false }
        return words[0].first?.isNumber == true || Self.streetWords.contains(words[0])
    }

    /// Whether it begins as people are addressed: `Mme Jeanne Martin`.
    var hasTitle: Bool { words.count >= 2 && Self.titles.contains(words[0]) }

    /// Whether it is two to four words of letters, each with a capital, but for particles such as `de`.
    var looksLikeName: Bool {
        let words = text.split(separator: " ")
        return (2...4).contains(words.count) && words[0].first?.isUppercase == true
            && words.allSatisfy { word in
                (word.first?.isUppercase == true || ["de", "du", "des", "la", "le", "van", "von", "d’"].contains(word))
                    && word.allSatisfy { $0.isLetter || "-'’.".contains($0) }
            }
    }

    /// Whether it is one word as the names of towns are. Only its place shows whether it is one.
    var mayBeTown: Bool {
        text.first?.isUppercase == true && text.allSatisfy { $0.isLetter || "-'’".contains($0) } && !namesRole
            && !Self.namesCompany(text)
    }

    /// Whether it is a number of a register with its label. One that could be read is no line any more.
    private var isNumberOfRegister: Bool {
        words.contains { Self.registers.contains($0) } && text.contains(where: \.isNumber)
    }

    /// Whether it may be the name of a company: it has letters, and is neither an address of the web nor a number of a register.
    var looksLikeCompany: Bool {
        let folded = text.lowercased()
        return text.first?.isUppercase == true && !folded.contains("www.") && !folded.contains("http")
            && !text.contains(":") && !text.contains("@") && words.count <= 5 && text.contains(where: \.isLetter)
            && !isNumberOfRegister
    }

    /// The given name and the family name. The family name is what is in capitals alone, or else what follows the first word.
    static func name(_ text: String) -> (given: String?, family: String?) {
        var words = text.split(separator: " ").map(String.init)
        while let first = words.first, words.count > 1,
            titles.contains(first.lowercased().filter { $0.isLetter })
        {
            words.removeFirst()
        }
        let capitals = words.filter { word in
            word.count(where: \.isLetter) > 1 && word == word.uppercased()
        }
        if !capitals.isEmpty, capitals.count < words.count {
            let given = words.filter { !capitals.contains($0) }
            return (given.joined(separator: " "), capitals.joined(separator: " "))
        }
        guard words.count > 1 else { return (nil, words.first) }
        return (words[0], words[1...].joined(separator: " "))
    }
}
