import Testing

@testable import CRMDomain

/// Article R. 6351-6 of the Code du travail: who trains says "Déclaration d’activité enregistrée sous le numéro … auprès du
/// préfet de région de …".
@Suite struct DeclarationRegionTests {
    @Test(arguments: [
        ("11755555555", "d’Île-de-France"), ("24370000037", "du Centre-Val de Loire"),
        ("27210000021", "de Bourgogne-Franche-Comté"), ("28760000076", "de Normandie"),
        ("32590000059", "des Hauts-de-France"), ("44670000067", "du Grand Est"),
        ("52440000044", "des Pays de la Loire"), ("53350987654", "de Bretagne"),
        ("75330000033", "de Nouvelle-Aquitaine"), ("76310654321", "d’Occitanie"),
        ("84691234567", "d’Auvergne-Rhône-Alpes"), ("93131234567", "de Provence-Alpes-Côte d’Azur"),
        ("94200000020", "de Corse"), ("01973000097", "de Guadeloupe"), ("02973000097", "de Martinique"),
        ("03973000097", "de Guyane"), ("04973000097", "de La Réunion"), ("06973000097", "de Mayotte"),
    ])
    func `each region of today has its article`(number: String, complement: String) {
        #expect(DeclarationRegion.complement(of: number) == complement)
    }

    @Test(arguments: [
        ("21510000051", "du Grand Est"), ("41540000054", "du Grand Est"), ("42670000067", "du Grand Est"),
        ("22800000080", "des Hauts-de-France"), ("31590000059", "des Hauts-de-France"),
        ("23760000076", "de Normandie"), ("25140000014", "de Normandie"),
        ("26210000021", "de Bourgogne-Franche-Comté"), ("43250000025", "de Bourgogne-Franche-Comté"),
        ("54860000086", "de Nouvelle-Aquitaine"), ("72640456789", "de Nouvelle-Aquitaine"),
        ("74870000087", "de Nouvelle-Aquitaine"), ("73310000031", "d’Occitanie"), ("91340000034", "d’Occitanie"),
        ("82690000069", "d’Auvergne-Rhône-Alpes"), ("83630000063", "d’Auvergne-Rhône-Alpes"),
        ("95970000097", "de Guadeloupe"), ("97970000097", "de Martinique"), ("96973000097", "de Guyane"),
        ("98970000097", "de La Réunion"),
    ])
    func `a number with the code of a former region names the one that it is part of`(
        number: String, complement: String
    ) {
        #expect(DeclarationRegion.complement(of: number) == complement)
    }

    @Test(arguments: ["", "53", "5335098765", "533509876543", "00350987654", "99350987654", "5335098765x"])
    func `a number of another form and an unknown code name no region`(number: String) {
        #expect(DeclarationRegion.complement(of: number) == nil)
    }
}
