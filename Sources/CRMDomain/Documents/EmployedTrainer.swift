import DomainKit
import JSON

/// A trainer who is employed by the organisation: the subcontract is for those who are not.
enum EmployedTrainer {
    static let rule = Rule(
        constraint: "signatures_demander_interne", columns: ["document"], message: CRM.Messages.contractWithEmployee,
        effect: .conflict(reason: "interne"), holds: nil)

    /// The constraint of ``rule`` if it refuses a document of a session in the form of ``SessionDocument/selection``.
    static func refusal(of document: String, _ loaded: [JSONValue]) -> String? {
        let isEmployed = loaded.first?["formateur"]?["exterieur"] == 0
        return document == "sessions.contrat_formateur" && isEmployed ? rule.constraint : nil
    }
}
