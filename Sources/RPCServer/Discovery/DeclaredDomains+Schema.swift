import JSON

extension ResultType {
    static let declaredDomains = Self(
        "domaines",
        schema: JSONSchema.object(
            [
                .init("domains", JSONSchema.array(of: JSONSchema.reference("declared_domain"))),
                .init("roles", JSONSchema.array(of: JSONSchema.reference("declared_role"))),
            ], required: ["domains", "roles"]),
        example: [
            "roles": [["name": "admin", "label": "Administrateur"]],
            "domains": [
                [
                    "name": "bookshop", "label": "Librairie",
                    "entities": [
                        [
                            "name": "authors", "singular": "auteur", "plural": "auteurs", "feminine": false,
                            "title": ["name"],
                            "columns": [["name": "id", "label": "Identifiant", "type": "integer"]],
                            "derived": [], "relations": [], "order": ["name"], "methods": ["list", "get"],
                            "search": true, "journal": true,
                        ]
                    ], "commands": [],
                ]
            ],
        ],
        components: [
            .init("declared_domain", domain), .init("declared_role", role), .init("declared_entity", entity),
            .init("declared_field", field),
            .init("declared_relation", relation), .init("declared_command", command), .init("declared_shape", shape),
        ])

    private static let text: JSONValue = ["type": "string"]
    private static let number: JSONValue = ["type": "integer"]
    private static let isTrue: JSONValue = ["const": true]
    private static let texts = JSONSchema.array(of: text)
    private static let fields = JSONSchema.array(of: JSONSchema.reference("declared_field"))

    private static func described(_ schema: JSONValue, _ description: String) -> JSONValue {
        schema.adding("description", .string(description))
    }

    private static let domain = JSONSchema.object(
        [
            .init("name", text), .init("label", text),
            .init("entities", JSONSchema.array(of: JSONSchema.reference("declared_entity"))),
            .init("commands", JSONSchema.array(of: JSONSchema.reference("declared_command"))),
        ], required: ["name", "label", "entities", "commands"])

    private static let role = JSONSchema.object(
        [
            .init("name", text), .init("label", text),
            .init("subject", described(text, "La table dont un compte représente une fiche dans ce rôle.")),
        ], required: ["name", "label"])

    private static let entity = JSONSchema.object(
        [
            .init("name", described(text, "La première moitié du nom de ses méthodes.")),
            .init("singular", text), .init("plural", text),
            .init("feminine", ["type": "boolean"]),
            .init("view", described(isTrue, "Une fonction calcule ses lignes, à partir de parameters.")),
            .init("single", described(isTrue, "Il y a une fiche au plus\u{202F}; une commande la crée.")),
            .init("journal", described(isTrue, "Le journal a ses changements.")),
            .init("title", described(texts, "Les chemins des champs qui nomment une fiche.")),
            .init("columns", fields), .init("derived", fields),
            .init("relations", JSONSchema.array(of: JSONSchema.reference("declared_relation"))),
            .init("search", described(isTrue, "list et aggregate ont le paramètre search.")),
            .init("order", described(texts, "L’ordre d’une liste sans order_by.")),
            .init("methods", described(texts, "Celles que le compte peut appeler\u{202F}: list, create…")),
            .init("parameters", described(fields, "Ceux d’une vue.")),
        ],
        required: [
            "name", "singular", "plural", "feminine", "title", "columns", "derived", "relations", "order", "methods",
        ])

    private static let field = JSONSchema.object(
        [
            .init("name", text), .init("label", text), .init("summary", text),
            .init(
                "type",
                JSONSchema.words([
                    "integer", "decimal", "text", "choice", "boolean", "date", "time", "timestamp", "uuid", "json",
                ])),
            .init("nullable", isTrue), .init("required", described(isTrue, "create demande une valeur.")),
            .init("writes", described(texts, "Les méthodes qui prennent le champ\u{202F}: create, update.")),
            .init("unique", described(isTrue, "Deux fiches n’ont pas la même valeur.")),
            .init("hidden", described(isTrue, "Aucune réponse n’a la valeur.")),
            .init("max_length", number), .init("scale", described(number, "Décimales.")),
            .init("minimum", number), .init("maximum", number),
            .init("values", described(JSONSchema.array(of: number), "Les seuls nombres permis.")),
            .init(
                "number_labels",
                described(
                    ["type": "object", "additionalProperties": text], "Ce qui se lit à la place de nombres.")),
            .init(
                "choices",
                JSONSchema.array(
                    of: JSONSchema.object([.init("value", text), .init("label", text)], required: ["value", "label"]))),
            .init("accepts", described(texts, "Les choix qu’un appel peut donner\u{202F}; sans lui, tous.")),
            .init(
                "format",
                JSONSchema.object(
                    [
                        .init("name", text), .init("message", text), .init("example", text), .init("pattern", text),
                    ], required: ["name", "message"])),
            .init("default", JSONSchema.nullable(JSONSchema.anything)),
            .init("target", described(text, "La table dont le champ nomme une fiche.")),
            .init("about", described(text, "La table dont les fiches donnent le nombre.")),
            .init(
                "file",
                JSONSchema.object(
                    [.init("kinds", texts), .init("max_bytes", number)], required: ["kinds", "max_bytes"])),
            .init("shape", JSONSchema.reference("declared_shape")),
        ], required: ["name", "label", "type"])

    private static let relation = JSONSchema.object(
        [
            .init("name", text), .init("label", text), .init("target", text),
            .init("column", described(text, "La colonne qui nomme la fiche liée\u{202F}; avec many, celle de target.")),
            .init("many", isTrue),
            .init("part", described(isTrue, "La fiche est supprimée avec celle qu’elle nomme.")),
        ], required: ["name", "label", "target", "column"])

    private static let command = JSONSchema.object(
        [
            .init("name", text), .init("label", text), .init("summary", text),
            .init("entity", described(text, "La première moitié du nom.")),
            .init("record", described(text, "Le paramètre qui nomme une fiche de entity.")),
            .init("parameters", fields),
            .init(
                "answers",
                JSONSchema.object([
                    .init("record", text), .init("records", text),
                    .init("value", JSONSchema.reference("declared_shape")),
                ])),
        ], required: ["name", "label", "summary", "entity", "parameters"])

    private static let shape = described(
        JSONSchema.object([
            .init("object", fields), .init("list", JSONSchema.reference("declared_shape")),
            .init("minimum", number), .init("maximum", number),
            .init("unique", described(texts, "Les champs dont deux éléments n’ont pas la même valeur.")),
            .init("by", JSONSchema.reference("declared_field")),
            .init(
                "kinds",
                JSONSchema.array(
                    of: JSONSchema.object(
                        [.init("value", text), .init("object", fields)], required: ["value", "object"]))),
            .init("scalar", JSONSchema.reference("declared_field")),
        ]),
        "Du JSON\u{202F}: un objet de champs, dont by nomme la nature quand chacune a des champs à elle (kinds), une liste de minimum"
            + " à maximum éléments, une valeur, ou rien\u{202F}: un objet libre."
    )
}
