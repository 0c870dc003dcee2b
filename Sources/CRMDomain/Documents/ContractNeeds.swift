import DomainKit
import JSON

/// A value without which a contract is not signed. A draft can be made without it, and says what is missing.
struct ContractNeed {
    /// The column of the session or of the organisation.
    let column: String
    /// What a draft calls the value, without an article.
    let label: String
    /// The rule that refuses to have the contract signed.
    let rule: Rule

    private init(_ column: String, label: String, rule: Rule) {
        self.column = column
        self.label = label
        self.rule = rule
    }

    // MARK: Of the session

    private init(_ column: String, label: String, reason: String, _ message: String) {
        self.init(column, label: label, rule: Self.rule(reason, message))
    }

    private static func rule(_ reason: String, _ message: String, facts: [Column] = []) -> Rule {
        Rule(
            constraint: "signatures_demander_\(reason)", columns: ["document"], message: message,
            effect: .conflict(reason: reason, facts: facts), holds: nil)
    }

    /// By the method of the contract.
    private static let ofSession: [String: [ContractNeed]] = [
        "sessions.convention": [
            ContractNeed("client", label: "client", reason: "client", CRM.Messages.contractWithoutClient),
            ContractNeed("tarif_client", label: "tarif client", reason: "prix", CRM.Messages.contractWithoutPrice),
        ],
        "sessions.contrat_formateur": [
            ContractNeed("formateur", label: "formateur", reason: "formateur", CRM.Messages.contractWithoutTrainer),
            ContractNeed(
                "tarif_sous_traitant", label: "tarif du sous-traitant", reason: "tarif",
                CRM.Messages.contractWithoutFee),
        ],
    ]

    // MARK: Of the organisation

    /// What the law and the page of signing ask of the organisation.
    private static let ofOrganisation: [ContractNeed] = {
        let columns: KeyValuePairs = [
            "raison_sociale": "raison sociale de l’organisme", "siret": "SIRET de l’organisme",
            "nda": "numéro de déclaration d’activité de l’organisme", "signataire": "signataire de l’organisme",
        ]
        let refusing = rule(
            "organisme", CRM.Messages.contractWithoutOrganisation,
            facts: [
                Column(
                    "manques", .json(.list(of: .choice(Choices(columns.map(\.key))), count: 1...columns.count)),
                    nullable: false, summary: "Ce qui manque à la fiche de l’organisme.")
            ])
        return columns.map { ContractNeed($0.key, label: $0.value, rule: refusing) }
    }()

    // MARK: Contracts

    /// The rules of all needs, each once.
    static let rules = (ofSession.sorted { $0.key < $1.key }.flatMap(\.value) + ofOrganisation.prefix(1)).map(\.rule)

    /// What a contract lacks.
    ///
    /// - Parameters:
    ///   - method: the method that makes it.
    ///   - loaded: what the method has loaded: the session, and the organisation or the list that contains it.
    static func missing(for method: String, _ loaded: [JSONValue]) -> [ContractNeed] {
        let session = loaded.first ?? .null
        let organisation = loaded.count > 1 ? loaded[1].firstRecord : .null
        return (ofSession[method] ?? []).filter { session[$0.column]?.isNull ?? true }
            + ofOrganisation.filter { organisation.line($0.column) == nil }
    }

    /// Why a contract cannot be signed; nil if it can be.
    static func refusal(of method: String, _ loaded: [JSONValue]) -> Signatures.Refused? {
        let missing = missing(for: method, loaded)
        guard let first = missing.first else { return nil }
        guard case .conflict(_, let facts) = first.rule.effect, let fact = facts.first else {
            return Signatures.Refused(by: first.rule.constraint)
        }
        let members = [JSONObject.Member(fact.name, .array(missing.map { .string($0.column) }))]
        return Signatures.Refused(by: first.rule.constraint, facts: JSONObject(members))
    }
}
