// The French sentences that DomainKit itself writes. Those about one domain stand in that domain.
// Typography: ’ for the apostrophe, U+202F before a colon, U+00A0 inside quotation marks.

extension ValueError {
    /// A French sentence that says what to do.
    public var message: String {
        switch self {
        case .null: "Donnez une valeur\u{202F}: ce champ ne peut pas être vide."
        case .blank: "Donnez un texte\u{202F}: ce champ ne peut pas être vide."
        case .wrongType(.wholeNumber): "Donnez un nombre entier, sans guillemets ni fraction."
        case .wrongType(.number): "Donnez un nombre JSON, sans guillemets, comme 1200.50."
        case .wrongType(.boolean): "Donnez true ou false, sans guillemets."
        case .wrongType(.string): "Donnez un texte, entre guillemets."
        case .wrongType(.list): "Donnez une liste."
        case .wrongType(.object): "Donnez un objet."
        case .nulCharacter: "Retirez le caractère nul (U+0000) de ce texte."
        case .outOfRange(let range):
            "Donnez un nombre entier compris entre \(range.lowerBound) et \(range.upperBound)."
        case .belowMinimum(let minimum): "Donnez un nombre supérieur ou égal à \(minimum)."
        case .aboveMaximum(let maximum): "Donnez un nombre inférieur ou égal à \(maximum)."
        case .notOneOfNumbers(let numbers): "Donnez \(numbers.map(String.init).joined(separator: " ou "))."
        case .tooManyDigits(let count): "Donnez un nombre d’au plus \(count) chiffres avant et après la virgule."
        case .tooFewElements(let count): "Donnez au moins \(count) \(count == 1 ? "élément" : "éléments")."
        case .tooManyElements(let count): "Donnez \(count) éléments au plus."
        case .notAnIdentifier: "Donnez un nombre entier à partir de 1."
        case .tooManyWholeDigits(let count): "Donnez un nombre d’au plus \(count) chiffres avant la virgule."
        case .tooManyDecimals(let count): "Donnez un nombre d’au plus \(count) chiffres après la virgule."
        case .tooLong(let count): "Donnez un texte d’au plus \(count) caractères."
        case .notOneOf(let words): "Donnez \(words.map(\.quotedInFrench).joined(separator: " ou "))."
        case .malformed(.date): "Donnez une date qui existe, sous la forme AAAA-MM-JJ, comme 2026-01-12."
        case .malformed(.time): "Donnez une heure de 00:00 à 23:59:59, sous la forme HH:MM ou HH:MM:SS."
        case .malformed(.timestamp):
            "Donnez un instant avec son décalage horaire, comme 2026-01-12T09:30:00+01:00."
        case .malformed(.uuid): "Donnez un UUID, comme 3f2b6c1e-8a4d-4c57-9b1e-2d7f0a6c5e48."
        case .malformed: "Donnez une valeur de ce type."
        case .format(let message): message
        case .parts(let problems): problems.first?.message ?? "Donnez une valeur de ce type."
        case .refusedByConstraint(let column): "Donnez à \(column.quotedInFrench) une valeur permise."
        }
    }
}

extension Problem {
    /// What the message says to the author of a file in which values are plain texts: there are no JSON types.
    ///
    /// - Parameters:
    ///   - text: the value in the file.
    ///   - type: that of its column.
    public func message(inFile text: String?, of type: FieldType?) -> String {
        guard code == .type else { return message }
        switch type {
        case .bigint, .integer: return "Donnez un nombre entier, comme 12."
        case .smallint(let range): return ValueError.outOfRange(range).message
        case .decimal:
            if let number = text?.withDecimalPoint {
                return "Écrivez \(number)\u{202F}: un point avant les décimales, sans espace ni unité."
            }
            return "Donnez un nombre avec un point avant les décimales, sans espace ni unité, comme 1200.50."
        case .boolean: return "Donnez true ou false."
        default: return message
        }
    }
}

extension String {
    /// This number as the files have it, if it is one as people write it in French, such as `1 200,50 €`; nil for anything else.
    /// A comma before three digits may separate thousands.
    fileprivate var withDecimalPoint: String? {
        let number = filter { !$0.isWhitespace && $0 != "€" }.replacing(",", with: ".")
        guard DecimalText(number) != nil, number.last?.isNumber == true else { return nil }
        let decimals = firstIndex(of: ",").map { self[$0...].count { $0.isNumber } }
        return decimals == 3 ? nil : number
    }
}

extension FileRule {
    /// What the file must be.
    var message: String {
        let names = kinds.map { kind in
            switch kind {
            case .png: "PNG"
            case .jpeg: "JPEG"
            case .svg: "SVG"
            case .pdf: "PDF"
            }
        }
        let first = names.dropLast().joined(separator: ", ")
        let list = (first.isEmpty ? "" : first + " ou ") + (names.last ?? "")
        return "Donnez un fichier \(list) de \(size) au plus."
    }

    private var size: String {
        if maxBytes < 1 << 10 { return "\(maxBytes)\u{A0}octets" }
        // Rounded down, so that a file of this size is accepted.
        if maxBytes.isMultiple(of: 1 << 20) { return "\(maxBytes >> 20)\u{A0}Mio" }
        return maxBytes.isMultiple(of: 1 << 10) ? "\(maxBytes >> 10)\u{A0}Kio" : "\(maxBytes / 1_000)\u{A0}ko"
    }
}

extension FieldProblem {
    /// A French sentence that says what to do.
    var message: String {
        switch self {
        case .missing(let name): "Donnez une valeur à \(name.quotedInFrench)\u{202F}: ce champ est obligatoire."
        case .readOnly(let name): "Retirez \(name.quotedInFrench)\u{202F}: ce champ est tenu par le serveur."
        case .createOnly(let name):
            "Retirez \(name.quotedInFrench)\u{202F}: ce champ est fixé à la création."
        case .derived(let name): "Retirez \(name.quotedInFrench)\u{202F}: ce champ est calculé par le serveur."
        case .unknown(let name, suggestion: let other?):
            "Le champ \(name.quotedInFrench) n’existe pas\u{202F}: utilisez \(other.quotedInFrench)."
        case .unknown(let name, suggestion: nil): "Le champ \(name.quotedInFrench) n’existe pas\u{202F}: retirez-le."
        case .noSuchRecord(let name):
            "Donnez dans \(name.quotedInFrench) l’identifiant d’un enregistrement qui existe."
        case .noSuchFile(let name):
            "Donnez dans \(name.quotedInFrench) un fichier que vous avez envoyé."
        case .taken(let name):
            "Donnez une autre valeur à \(name.quotedInFrench)\u{202F}: celle-ci est déjà prise."
        case .repeated(let name):
            "Donnez une autre valeur à \(name.quotedInFrench)\u{202F}: un autre élément de la liste a la même."
        case .ofAnotherKind(let name, let kind):
            "Retirez \(name.quotedInFrench)\u{202F}: \(kind.quotedInFrench) n’en a pas."
        case .rule(let rule): rule.message
        }
    }
}

extension String {
    /// This name between French quotation marks, with no-break spaces inside them. A name of more than 80 characters is
    /// cut off with an ellipsis.
    public var quotedInFrench: String {
        let shown = unicodeScalars.count > 80 ? String(unicodeScalars.prefix(79)) + "…" : self
        return "«\u{A0}\(shown)\u{A0}»"
    }
}
