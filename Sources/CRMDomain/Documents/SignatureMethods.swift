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
        rules: needs.flatMap(\.value).map(\.rule),
        refusal: { document, loaded in
            let session = loaded.first ?? .null
            return needs.first { $0.key == document }?.value.first { session[$0.value]?.isNull ?? true }?.rule
                .constraint
        },
        acceptsDrawing: { try PDFImage($0, maxPixels: drawingPixels).isPNG(ofAtMost: 2_000) }
    ) { shown, signed, loaded in
        try SignatureEvidence(signed).appendix(to: shown, Organisme(loaded))
    }
}

extension CRM {
    /// The most pixels of a drawn signature.
    static let drawingPixels = 1_000_000

    /// A value of a session, in the form of ``SessionDocument/selection``, without which there is no contract to sign.
    private struct Need {
        let value: String
        let rule: Rule

        init(_ value: String, reason: String, _ message: String) {
            self.value = value
            rule = Rule(
                constraint: "signatures_demander_\(reason)", columns: ["document"], message: message,
                effect: .conflict(reason: reason), holds: nil)
        }
    }

    /// What the documents need to be signed. A draft leaves room for what is missing.
    private static let needs: KeyValuePairs = [
        "sessions.convention": [
            Need("client", reason: "client", Messages.contractWithoutClient),
            Need("tarif_client", reason: "prix", Messages.contractWithoutPrice),
        ],
        "sessions.contrat_formateur": [
            Need("formateur", reason: "formateur", Messages.contractWithoutTrainer),
            Need("tarif_sous_traitant", reason: "tarif", Messages.contractWithoutFee),
        ],
    ]
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
