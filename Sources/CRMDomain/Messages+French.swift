// The French messages of this domain. Typography: ’ for the apostrophe, U+00A0 before a colon and inside quotation marks.

extension CRM {
    enum Messages {
        // Formats
        static let phone = "Donnez un numéro de téléphone complet, comme 06 12 34 56 78 ou +32 2 123 45 67."
        static let siret =
            "Vérifiez ce numéro SIRET\u{A0}: 14 chiffres dont le dernier contrôle les autres, comme 732 829 320 00074."
        static let nda = "Donnez les 11 chiffres du numéro de déclaration d’activité, comme 11755555555."
        static let postalCode =
            "Donnez un code postal, comme 75002, ou celui d’un autre pays en 10 caractères au plus, comme SW1A 1AA."
        static let intraCommunityVAT =
            "Donnez un numéro de TVA intracommunautaire sans espaces, comme FR40303265045 ou BE0428759497."

        // Rules
        static let endNotAfterStart = "Donnez une heure de fin après l’heure de début."

        // Commands
        static let sameRecord = "Donnez deux fiches différentes\u{A0}: une fiche ne s’absorbe pas elle-même."
        static let endAfterMidnight =
            "Donnez aussi une heure de fin\u{A0}: avec sa durée, la session finirait après minuit."
        static let dateTwice = "Donnez chaque date une seule fois."
        static let oneToSixtyDates = "Donnez une à soixante dates."

        // Views
        static let lastDayBeforeFirst = "Donnez un dernier jour qui ne précède pas le premier."
    }
}
