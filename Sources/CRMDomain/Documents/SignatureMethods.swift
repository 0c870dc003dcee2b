import DomainKit
import JSON

extension CRM {
    /// The documents that clients and trainers sign through a link.
    static let documentSignatures = Signatures(
        name: "signatures", ask: "demander", cancel: "annuler", download: "telecharger",
        documents: ["sessions.convention", "sessions.contrat_formateur"],
        labels: Signatures.Labels(
            document: "document", method: "methode", params: "params", signatories: "signataires", name: "nom",
            email: "email"),
        consent: "J’ai lu ce document, j’en accepte les termes et je le signe électroniquement.",
        loads: [organisation, logo]
    ) { shown, signed, loaded in
        try SignatureEvidence(signed).appendix(to: shown, Organisme(loaded))
    }
}

extension SignatureEvidence {
    init(_ signed: SignedDocument) {
        self.init(
            document: signed.name.hasSuffix(".pdf") ? String(signed.name.dropLast(4)) : signed.name,
            sha256: signed.sha256, consent: signed.signatories.first?.consent ?? "",
            signers: signed.signatories.map { signatory in
                Signer(
                    name: signatory.name, email: signatory.email, signedAt: signatory.signedAt,
                    address: signatory.address, device: signatory.device,
                    drawing: signatory.drawing.map { .png($0) })
            })
    }
}
