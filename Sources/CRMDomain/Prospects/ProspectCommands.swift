import DomainKit

extension CRM {
    static let prospectCommands = [avancer, convertir]

    /// The stages, the loss first: the example in the documentation has the last word, and a loss needs a reason beside it.
    private static let nouvellesEtapes: Choices = {
        let words = ["perdu"] + etapes.words.filter { $0 != "perdu" }
        return Choices(words.map { (word: $0, label: etapes.label(of: $0) ?? $0) })
    }()

    /// `prospects.avancer`: a prospect at another stage.
    private static let avancer = Command(
        name: "prospects.avancer", label: "Changer d’étape",
        summary:
            "Fait passer un prospect à une autre étape\u{202F}: de à contacter à contacté, puis proposition, puis gagné."
            + " Une proposition peut redevenir un contact. Toute étape mène à perdu, avec un motif, et un prospect perdu"
            + " peut être contacté de nouveau. Un prospect gagné peut redevenir une proposition, tant qu’il n’est pas"
            + " devenu un client.",
        parameters: [
            Column("id", .bigint, nullable: false, of: "prospects", label: "Prospect", summary: "L’identifiant."),
            Column(
                "etape", .choice(nouvellesEtapes), nullable: false, label: "Nouvelle étape",
                summary: "La nouvelle étape."),
            Column(
                "motif", .text(maxLength: 500), label: "Motif", summary: "Pourquoi\u{202F}; obligatoire pour perdu."),
        ],
        function: "public.prospects_avancer", answers: .record(of: "prospects"), roles: [.user, .admin],
        rules: [
            .etapeSuivante,
            Rule(
                constraint: "prospects_motif", columns: ["motif"], message: Messages.reasonForLoss, holds: nil),
        ])

    /// `prospects.convertir`: a prospect becomes a client.
    private static let convertir = Command(
        name: "prospects.convertir", label: "Convertir en client",
        summary: "Fait d’un prospect un nouveau client, ou le rattache à un client qui existe, une seule fois.",
        parameters: [
            Column("id", .bigint, nullable: false, of: "prospects", label: "Prospect", summary: "L’identifiant."),
            Column(
                "values", .json(clients.changes), label: "Valeurs du client",
                summary: "Des valeurs pour le nouveau client\u{202F}; celles qui manquent viennent du prospect."),
            Column(
                "client_id", .bigint, of: "clients", label: "Client existant",
                summary: "Le client qui existe déjà\u{202F}; values manque alors."),
        ],
        function: "public.prospects_convertir", answers: .record(of: "prospects"), roles: [.user, .admin],
        rules: [
            .etapeSuivante,
            Rule(
                constraint: "prospects_convertir_un", columns: ["values", "client_id"],
                message: Messages.newOrExistingClient
            ) { _ in false },
            Rule(
                constraint: "prospects_converti", columns: ["id"], message: Messages.alreadyClient,
                effect: .conflict(
                    reason: "converti",
                    facts: [
                        Column("client_id", .bigint, nullable: false, summary: "Client qu’il est devenu.")
                    ]),
                holds: nil),
        ])
}
