import DomainKit
public import JSON
public import PDF

/// What proves that a document was signed: what was shown, and who signed it, when and from where.
public struct SignatureEvidence: Sendable {
    /// A signature.
    public struct Signer: Sendable {
        /// What was drawn.
        public enum Drawing: Sendable {
            case png([UInt8])
            /// Lines of points. The vertical axis points down.
            case strokes([[PDFPoint]])
        }

        let name: String
        let invitedName: String
        let email: String
        var party: SigningParty?
        let signedAt: String
        let consent: String
        let address: String?
        let device: String?
        let drawing: Drawing?

        /// - Parameters:
        ///   - name: what the signer gave as name.
        ///   - invitedName: the name under which the signer was asked to sign; printed if it is another one.
        ///   - email: where the link was sent to.
        ///   - signedAt: in ISO 8601, printed in the offset with which it is written.
        ///   - consent: the sentence that the signer agreed to.
        ///   - address: the network address of the signer; nil if it is unknown.
        ///   - device: what the browser says of itself.
        public init(
            name: String, invitedName: String, email: String, signedAt: String, consent: String, address: String?,
            device: String? = nil, drawing: Drawing?
        ) {
            self.init(
                name: name, invitedName: invitedName, email: email, party: nil, signedAt: signedAt, consent: consent,
                address: address, device: device, drawing: drawing)
        }

        /// - Parameter party: for whom the signer signs; nil if it is not known.
        init(
            name: String, invitedName: String, email: String, party: SigningParty?, signedAt: String, consent: String,
            address: String?, device: String?, drawing: Drawing?
        ) {
            self.name = name
            self.invitedName = invitedName
            self.email = email
            self.party = party
            self.signedAt = signedAt
            self.consent = consent
            self.address = address
            self.device = device
            self.drawing = drawing
        }
    }

    let document: String
    let sha256: String
    let signers: [Signer]

    /// - Parameters:
    ///   - document: the title of the document.
    ///   - sha256: of the bytes that were shown, in hexadecimal.
    public init(document: String, sha256: String, signers: [Signer]) {
        self.document = document
        self.sha256 = sha256
        self.signers = signers
    }

    /// The page of evidence as a PDF of its own.
    ///
    /// - Parameters:
    ///   - organisme: the record of the organisation, in the form that the documents load.
    ///   - logo: the bytes of its logo as they are loaded; null without one.
    public func bytes(organisme: JSONValue, logo: JSONValue = .null) throws -> [UInt8] {
        try sheet(Organisme(organisme, logo: logo)).bytes()
    }

    /// The bytes that add the page to the end of the signed document, which stays as it was shown, and the signatures to its
    /// frames.
    func appendix(to shown: [UInt8], _ organisme: Organisme, parties: [SigningParty]) throws -> [UInt8] {
        let evidence = assigned(to: parties)
        return try evidence.sheet(organisme).appendix(to: shown, filling: evidence.frames(of: parties))
    }

    /// The evidence with the party of each signer, also of those of whom it was not said.
    private func assigned(to parties: [SigningParty]) -> SignatureEvidence {
        let assigned = SigningParty.assigned(signers.map(\.party), of: parties)
        guard assigned.count == signers.count else { return self }
        return SignatureEvidence(
            document: document, sha256: sha256,
            signers: zip(signers, assigned).map { signer, party in
                var signer = signer
                signer.party = party
                return signer
            })
    }

    private func sheet(_ organisme: Organisme) -> PDFDocument {
        // All agree to the same sentence, unless another version of the service has asked some of them.
        let common = Set(signers.map(\.consent)).count == 1 ? signers.first?.consent : nil
        var blocks: [PDFBlock] = [
            .space(14), .heading("Certificat de signature électronique", level: 1),
            .paragraph(PDFText(document.clipped(300)), DocumentStyle.lead),
            .heading("Document signé", level: 2),
            .fields(
                [PDFField("Empreinte SHA-256", PDFText(sha256.inGroups))]
                    + [common].compactMap(\.self).map { PDFField("Consentement", PDFText($0.quoted)) }),
            .paragraph(
                "L’empreinte est celle des octets du document tel qu’il a été présenté aux signataires.",
                DocumentStyle.note),
            .heading(signers.count > 1 ? "Signataires" : "Signataire", level: 2),
        ]
        blocks += signers.map { $0.block(withConsent: common == nil) }
        let last = signers.map(\.signedAt).max() ?? "2000-01-01T00:00:00Z"
        return organisme.sheet(
            title: "Certificat de signature – \(document.clipped(300))",
            created: DocumentDate.newest(of: [["updated_at": .string(last)]], else: nil), blocks)
    }
}

extension SignatureEvidence.Signer {
    /// - Parameter withConsent: whether the sentence that the signer agreed to is printed here.
    fileprivate func block(withConsent: Bool) -> PDFBlock {
        var facts: [PDFField] = []
        if invitedName != name {
            facts.append(PDFField("Demandé à\u{202F}:", PDFText(invitedName.clipped(200))))
        }
        if let party { facts.append(PDFField("Signe pour\u{202F}:", PDFText(party.label))) }
        facts += [
            PDFField("Adresse e-mail\u{202F}:", PDFText(email.clipped(255))),
            PDFField("Signé le\u{202F}:", PDFText(FrenchTypography.printed.moment(signedAt))),
            PDFField("Adresse réseau\u{202F}:", PDFText(address?.clipped(100) ?? "inconnue")),
        ]
        if withConsent { facts.append(PDFField("Consentement\u{202F}:", PDFText(consent.quoted))) }
        if let device { facts.append(PDFField("Appareil\u{202F}:", PDFText(device.clipped(300)))) }
        let drawn: [PDFBlock] =
            switch drawing {
            case .png(let bytes):
                [
                    .image(
                        PDFImage(
                            bytes, maxPixels: CRM.drawingPixels,
                            else: [.paragraph("Tracé illisible", DocumentStyle.note)]), width: 170, height: 70)
                ]
            case .strokes(let strokes): [.strokes(strokes, width: 170, height: 70)]
            case nil: [.paragraph("Sans tracé", DocumentStyle.note)]
            }
        return .together([
            .columns([
                PDFColumn(
                    share: 1.3, isFramed: true, [.paragraph(.bold(name.clipped(200))), .space(2), .fields(facts)]),
                PDFColumn(share: 1, isFramed: true, [.paragraph("SIGNATURE", DocumentStyle.label)] + drawn),
            ])
        ])
    }
}

extension FrenchTypography {
    /// `lundi 3 août 2026, 14:05:09 (UTC+02:00)`; the text itself if it is not a moment in ISO 8601.
    func moment(_ text: String) -> String {
        let parts = text.split(separator: "T", maxSplits: 1)
        guard parts.count == 2, let date = CalendarDate(parts[0]) else { return text }
        let clock = parts[1].prefix { $0.isNumber || $0 == ":" }
        let offset = parts[1].drop { $0 != "+" && $0 != "-" && $0 != "Z" }
        let isUTC = offset == "Z" || offset == "+00:00" || offset.isEmpty
        return "\(day(date)), \(clock) (UTC\(isUTC ? "" : String(offset)))"
    }
}

extension String {
    fileprivate var quoted: String { "«\u{A0}\(clipped(1_000))\u{A0}»" }

    /// The characters in groups of eight, so that a line can break between them.
    fileprivate var inGroups: String {
        var text = ""
        for (index, character) in enumerated() {
            if index > 0, index.isMultiple(of: 8) { text += " " }
            text.append(character)
        }
        return text
    }
}
