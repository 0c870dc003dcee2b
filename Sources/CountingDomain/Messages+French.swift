// The French messages of this domain. Typography: ’ for the apostrophe, U+00A0 before a colon and inside quotation marks.

extension Counting {
    enum Messages {
        static let timeZone = "Donnez le nom IANA d’un fuseau horaire, comme Europe/Paris ou America/Martinique."
        static let manualDevice =
            "Donnez hardware ou simulator\u{A0}: l’appareil des corrections à la main est créé avec la première d’entre elles."
        static let inactiveDevice = "Cet appareil est hors service\u{A0}: remettez-le en service, puis recommencez."
        static let notASimulator = "Donnez l’identifiant d’un simulateur."
    }
}
