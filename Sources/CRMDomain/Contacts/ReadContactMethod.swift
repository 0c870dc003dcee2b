import DomainKit
import JSON

extension CRM {
    /// `contacts.lire {texte, table?}`: the values of a client or trainer in a vCard, or in the text of a business card. It
    /// writes nothing.
    static let readContactMethod = LoadedMethod(
        name: "lire", group: "contacts", entity: "clients",
        summary: "Lit une vCard, ou le texte d’une carte de visite, et propose les valeurs d’une fiche.",
        parameters: [
            Column(
                "texte", .text(maxLength: 200_000), nullable: false, label: "Texte",
                summary: "La vCard, ou le texte de la carte."),
            Column(
                "table", .choice(["clients": "Client", "formateurs": "Formateur"]), label: "Fiche",
                summary: "Pour quelle fiche\u{202F}; sans valeur, un client si le texte nomme une entreprise, sinon un"
                    + " formateur."),
        ],
        loads: []
    ) { _, parameters in
        let text = parameters["texte"]?.text ?? ""
        var contact = VCard.isVCard(text) ? Contact(VCard(text)) : Contact(businessCard: text)
        let table = parameters["table"]?.text ?? (contact.company == nil ? "formateurs" : "clients")
        let values = contact.values(for: table == "clients" ? clients : formateurs)
        return [
            "table": .string(table), "values": .object(values),
            "incompris": .array(contact.notUnderstood.map { .string($0) }),
        ]
    }
}
