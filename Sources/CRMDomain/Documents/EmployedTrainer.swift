import DomainKit
import JSON

/// A trainer who is employed by the organisation: the subcontract is for those who are not.
enum EmployedTrainer {
    static let rule = Rule(
        constraint: "signatures_demander_interne", columns: ["document"], message: CRM.Messages.contractWithEmployee,
        effect: .conflict(reason: "interne"), holds: nil)

    /// Why a document of a session, in the form of ``SessionDocument/selection``, cannot be signed; nil if it can be.
    static func refusal(of document: String, _ loaded: [JSONValue]) -> Signatures.Refused? {
        let isEmployed = loaded.first?["formateur"]?["exterieur"] == 0
        return document == "sessions.contrat_formateur" && isEmployed ? Signatures.Refused(by: rule.constraint) : nil
    }
}
