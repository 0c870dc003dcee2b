import DomainKit

extension CRM {
    /// `indicateurs.list {du, au}`: the figures of a period, and those of as many days before it, in one record.
    static let indicateurs = Entity(
        name: "indicateurs",
        source: .function("indicateurs", Column.period),
        noun: Noun("indicateur", plural: "indicateurs", feminine: false),
        columns: [.id] + figures("") { $0 }
            + figures("precedent_") { "\($0) (période précédente)" },
        search: nil,
        defaultOrder: [],
        rules: [.auNotBeforeDu],
        access: readOnly)

    private static func figures(_ prefix: String, _ text: (String) -> String) -> [Column] {
        let amount = FieldType.decimal(precision: 20, scale: 2)
        let figures: [(name: String, type: FieldType, label: String, summary: String)] = [
            ("nombre_sessions", .bigint, "Sessions", "Nombre de sessions"),
            ("heures", amount, "Heures de formation", "Somme de leurs durées en heures"),
            ("ca", amount, "Chiffre d’affaires", "Chiffre d’affaires\u{202F}: somme des tarifs client, en euros"),
            ("cout", amount, "Coût", "Coût\u{202F}: somme des tarifs sous-traitant et des frais, en euros"),
            (
                "marge", amount, "Marge",
                "Somme des marges des sessions qui ont un tarif client\u{202F}; les coûts des autres n’y sont pas"
            ),
            ("taux_marge", amount, "Taux de marge", "Marge en pour cent du chiffre d’affaires\u{202F}; null sans lui"),
            ("sans_formateur", .bigint, "Sans formateur", "Nombre de sessions sans formateur"),
            ("sans_client", .bigint, "Sans client", "Nombre de sessions sans client"),
            ("a_distance", .bigint, "À distance", "Nombre de sessions à distance"),
            ("clients_actifs", .bigint, "Clients actifs", "Nombre de clients qui ont une session"),
            ("formateurs_actifs", .bigint, "Formateurs actifs", "Nombre de formateurs qui ont une session"),
        ]
        return figures.map { figure in
            Column(
                prefix + figure.name, figure.type, nullable: figure.name == "taux_marge", label: text(figure.label),
                summary: text(figure.summary) + ".")
        }
    }
}
