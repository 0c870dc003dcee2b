import DomainKit
import JSON

extension CRM {
    /// The methods that make PDF documents about sessions.
    static let documentMethods = [recapitulatifMethod, conventionMethod, contratFormateurMethod, listeMethod]

    /// The organisation that the documents name, if there is one yet.
    static let organisation = Load.rows(of: "organisme", Organisme.selection, atMost: 1)
    /// The same with what its contracts say.
    private static let contractor = Load.rows(of: "organisme", Organisme.contractSelection, atMost: 1)
    static let logo = Load.picture("logo", of: "organisme")

    private static let recapitulatifMethod = LoadedMethod(
        name: "recapitulatif", entity: "sessions",
        summary: "Un récapitulatif de la session en PDF, avec les seuls prix que son lecteur peut voir.",
        parameters: [
            Column(
                "audience", .choice(Audience.choices), nullable: false,
                default: .string(Audience.formateur.rawValue), label: "Destinataire",
                summary: "Qui le lira\u{202F}; interne est réservé aux administrateurs.")
        ],
        loads: [.record(SessionDocument.selection), organisation, logo],
        allows: { role, parameters in
            parameters["audience"]?.text != Audience.interne.rawValue || role == .admin
        },
        document: .pdf
    ) { loaded, _ in
        fileName("Récapitulatif", of: loaded)
    } render: { loaded, parameters in
        try recapitulatif(loaded, parameters)
    }

    private static let conventionMethod = LoadedMethod(
        name: "convention", entity: "sessions",
        summary: "La convention de formation entre l’organisme et le client, en PDF.",
        parameters: [], loads: [.record(SessionDocument.selection), contractor, logo], document: .pdf
    ) { loaded, _ in
        fileName("Convention", of: loaded)
    } render: { loaded, parameters in
        try convention(loaded, parameters)
    }

    private static let contratFormateurMethod = LoadedMethod(
        name: "contrat_formateur", entity: "sessions",
        summary: "Le contrat de sous-traitance entre l’organisme et le formateur, en PDF.",
        parameters: [], loads: [.record(SessionDocument.selection), contractor, logo], document: .pdf
    ) { loaded, _ in
        fileName("Contrat formateur", of: loaded)
    } render: { loaded, parameters in
        try contratFormateur(loaded, parameters)
    }

    private static let listeMethod = LoadedMethod(
        name: "liste", entity: "sessions",
        summary:
            "Le planning des sessions de quelques jours en PDF, sans prix\u{202F}; les 300 premières au plus, avec les totaux de toutes.",
        parameters: [
            Column("du", .date, nullable: false, label: "Premier jour"),
            Column(
                "au", .date, nullable: false, label: "Dernier jour",
                summary: "Dernier jour, compris\u{202F}; pas avant le premier."),
        ],
        rules: [.auNotBeforeDu],
        loads: [
            .rows(of: "sessions", SessionList.selection, atMost: SessionList.limit) { parameters in
                ["where": ["date": SessionList.days(parameters)], "order_by": ["date", "debut", "id"]]
            },
            organisation, logo,
            .groups(of: "sessions", SessionList.totals) { ["where": ["date": SessionList.days($0)]] },
            .groups(of: "sessions", "{ count }") {
                ["where": ["date": SessionList.days($0), "formateur_id": .null]]
            },
        ],
        document: .pdf
    ) { _, parameters in
        "Planning \(parameters["du"]?.text ?? "") \(parameters["au"]?.text ?? "").pdf"
    } render: { loaded, parameters in
        try listeDesSessions(loaded, parameters)
    }

    /// `Convention CT-2026-014.pdf`, or the training and its day if the session has no reference.
    private static func fileName(_ kind: String, of loaded: [JSONValue]) -> String {
        let session = loaded.first ?? .null
        let subject =
            session.line("ref_contrat")
            ?? [session.line("module", atMost: 80), session.line("date")].compactMap(\.self).joined(separator: " ")
        // Characters that a file's name cannot contain somewhere.
        return String("\(kind) \(subject)".map { "/\\:*?\"<>|".contains($0) ? "-" : $0 }) + ".pdf"
    }
}
