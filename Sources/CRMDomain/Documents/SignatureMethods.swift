import DomainKit
import JSON
import PDF

extension CRM {
    /// The documents that clients and trainers sign through a link.
    static let documentSignatures = Signatures(
        name: "signatures", ask: "demander", remind: "relancer", cancel: "annuler", download: "telecharger",
        documents: ["sessions.convention", "sessions.contrat_formateur"],
        labels: Signatures.Labels(
            document: "document", method: "methode", params: "params", signatories: "signataires", name: "nom",
            email: "email", signatory: "signataire"),
        consent: "J’ai lu ce document, j’en accepte les termes et je le signe électroniquement.",
        loads: [organisation, logo],
        rules: ContractNeed.rules, refusal: ContractNeed.refusal,
        acceptsDrawing: { try PDFImage($0, maxPixels: drawingPixels).isPNG(ofAtMost: 2_000) }
    ) { shown, signed, loaded in
        try SignatureEvidence(signed).appendix(to: shown, Organisme(loaded))
    }
}

extension CRM {
    /// The most pixels of a drawn signature.
    static let drawingPixels = 1_000_000
}

extension SignatureEvidence {
    init(_ signed: SignedDocument) {
        self.init(
            document: signed.name.hasSuffix(".pdf") ? String(signed.name.dropLast(4)) : signed.name,
            sha256: signed.sha256,
            signers: signed.signatories.map { signatory in
                Signer(
                    name: signatory.name, invitedName: signatory.invitedName, email: signatory.email,
                    signedAt: signatory.signedAt, consent: signatory.consent, address: signatory.address,
                    device: signatory.device,
                    drawing: signatory.drawing.map { .png($0) })
            })
    }
}
