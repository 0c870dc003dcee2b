// The French messages of this domain. Typography: ’ for the apostrophe, U+202F before a colon, U+00A0 inside quotation marks.

extension Counting {
    enum Messages {
        static let timeZone = "Donnez le nom IANA d’un fuseau horaire, comme Europe/Paris ou America/Martinique."
        static let manualDevice =
            "Donnez hardware ou simulator\u{202F}: l’appareil des corrections à la main est créé avec la première d’entre elles."
        static let manualDeviceStays =
            "L’appareil des corrections à la main reste dans son lieu\u{202F}: corrigez l’autre lieu, qui aura le sien."
        static let manualDeviceIsActive =
            "L’appareil des corrections à la main reste en service\u{202F}: sans lui, le lieu ne peut être ni corrigé ni clos."
        static let oneManualDevice = "Ce lieu a déjà son appareil des corrections à la main."
        static let manualDeviceCalls =
            "Cet appareil tient les corrections à la main et n’appelle pas\u{202F}: donnez la clé d’un compteur."
        static let inactiveDevice = "Cet appareil est hors service\u{202F}: remettez-le en service, puis recommencez."
        static let notASimulator = "Donnez l’identifiant d’un simulateur."
    }
}
