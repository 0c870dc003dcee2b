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
            email: "email", capacity: "pour", signatory: "signataire"),
        capacities: SigningParty.allCases.map(\.rawValue),
        capacitiesOfDocuments: Dictionary(
            uniqueKeysWithValues: ["sessions.convention", "sessions.contrat_formateur"].map { method in
                (method, SigningParty.parties(of: method).map(\.rawValue))
            }),
        consent: "J’ai lu ce document, j’en accepte les termes et je le signe électroniquement.",
        loads: [organisation, logo],
        rules: ContractNeed.rules + [EmployedTrainer.rule],
        refusal: { document, loaded in
            EmployedTrainer.refusal(of: document, loaded) ?? ContractNeed.refusal(of: document, loaded)
        },
        render: { document, capacities, loaded in
            let parties = SigningParty.assigned(
                capacities.map { $0.flatMap(SigningParty.init(rawValue:)) }, of: SigningParty.parties(of: document))
            let parameters: [String: JSONValue] = [
                SessionDocument.signedOnline: .array(parties.map { .string($0.rawValue) })
            ]
            return document == "sessions.convention"
                ? try convention(loaded, parameters) : try contratFormateur(loaded, parameters)
        },
        subject: subject,
        letterhead: { loaded in
            let record = (loaded.first ?? .null).firstRecord
            let logo = Organisme(loaded).logo
            // Empty bytes are those of a logo that cannot be drawn.
            return Signatures.Letterhead(name: record.line("raison_sociale"), logo: logo == [] ? nil : logo)
        },
        acceptsDrawing: { try PDFImage($0, maxPixels: drawingPixels).isPNG(ofAtMost: 2_000) }
    ) { shown, signed, loaded in
        try SignatureEvidence(signed).appendix(
            to: shown, Organisme(loaded), parties: SigningParty.parties(of: signed.method))
    }
}

extension CRM {
    /// The most pixels of a drawn signature.
    static let drawingPixels = 1_000_000
}

extension CRM {
    /// `la convention de formation « SwiftUI avancé » du lundi 3 août 2026`.
    @Sendable private static func subject(of document: String, _ loaded: [JSONValue]) -> String? {
        let session = SharedSession(loaded.first ?? .null, for: .formateur)
        let isAgreement = document == "sessions.convention"
        let kind = isAgreement ? "la convention de formation" : "le contrat de sous-traitance de la formation"
        let day = session.date.map { " du \(FrenchTypography.printed.day($0))" } ?? ""
        return "\(kind) «\u{A0}\(session.module.clipped(200))\u{A0}»\(day)"
    }
}

extension SignatureEvidence {
    init(_ signed: SignedDocument) {
        self.init(
            document: signed.name.hasSuffix(".pdf") ? String(signed.name.dropLast(4)) : signed.name,
            sha256: signed.sha256,
            signers: signed.signatories.map { signatory in
                Signer(
                    name: signatory.name, invitedName: signatory.invitedName, email: signatory.email,
                    party: signatory.capacity.flatMap(SigningParty.init(rawValue:)), signedAt: signatory.signedAt,
                    consent: signatory.consent, address: signatory.address,
                    device: signatory.device,
                    drawing: signatory.drawing.map { .png($0) })
            })
    }
}
