/// The region whose prefect keeps a declaration of training activity.
///
/// The first two digits of the number are the code of a region. Numbers from before 2016 have the codes of the regions of
/// their time, most of which are parts of today's; they stay as they are.
enum DeclarationRegion {
    /// The region with the preposition that follows « préfet de région »: `de Bretagne`; nil for a number of another form or
    /// with a code that no region has had.
    static func complement(of number: String) -> String? {
        let digits = number.filter { !$0.isWhitespace }
        guard digits.count == 11, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return complements[String(digits.prefix(2))]
    }

    private static let complements: [String: String] = {
        var complements: [String: String] = [:]
        for (complement, codes) in regions {
            for code in codes { complements[code] = complement }
        }
        return complements
    }()

    /// Today's code first. The regions overseas have had codes of their own for these numbers.
    private static let regions: KeyValuePairs = [
        "d’Île-de-France": ["11"],
        "du Centre-Val de Loire": ["24"],
        "de Bourgogne-Franche-Comté": ["27", "26", "43"],
        "de Normandie": ["28", "23", "25"],
        "des Hauts-de-France": ["32", "22", "31"],
        "du Grand Est": ["44", "21", "41", "42"],
        "des Pays de la Loire": ["52"],
        "de Bretagne": ["53"],
        "de Nouvelle-Aquitaine": ["75", "54", "72", "74"],
        "d’Occitanie": ["76", "73", "91"],
        "d’Auvergne-Rhône-Alpes": ["84", "82", "83"],
        "de Provence-Alpes-Côte d’Azur": ["93"],
        "de Corse": ["94"],
        "de Guadeloupe": ["01", "95"],
        "de Martinique": ["02", "97"],
        "de Guyane": ["03", "96"],
        "de La Réunion": ["04", "98"],
        "de Mayotte": ["06"],
    ]
}
