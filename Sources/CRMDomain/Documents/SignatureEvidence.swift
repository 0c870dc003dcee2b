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
        let email: String
        let signedAt: String
        let address: String
        let device: String?
        let drawing: Drawing?

        /// - Parameters:
        ///   - name: what the signer gave as name.
        ///   - email: where the link was sent to.
        ///   - signedAt: in ISO 8601, printed in the offset with which it is written.
        ///   - address: the network address of the signer.
        ///   - device: what the browser says of itself.
        public init(
            name: String, email: String, signedAt: String, address: String, device: String? = nil, drawing: Drawing?
        ) {
            self.name = name
            self.email = email
            self.signedAt = signedAt
            self.address = address
            self.device = device
            self.drawing = drawing
        }
    }

    let document: String
    let sha256: String
    let consent: String
    let signers: [Signer]

    /// - Parameters:
    ///   - document: the title of the document.
    ///   - sha256: of the bytes that were shown, in hexadecimal.
    ///   - consent: the sentence that the signers agreed to.
    public init(document: String, sha256: String, consent: String, signers: [Signer]) {
        self.document = document
        self.sha256 = sha256
        self.consent = consent
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

    /// The bytes that add the page to the end of the signed document, which stays as it was shown.
    func appendix(to shown: [UInt8], _ organisme: Organisme) throws -> [UInt8] {
        try sheet(organisme).appendix(to: shown)
    }

    private func sheet(_ organisme: Organisme) -> PDFDocument {
        var blocks: [PDFBlock] = [
            .space(14), .heading("Certificat de signature électronique", level: 1),
            .paragraph(PDFText(document.clipped(300)), DocumentStyle.lead),
            .heading("Document signé", level: 2),
            .fields([
                PDFField("Empreinte SHA-256", PDFText(sha256.inGroups)),
                PDFField("Consentement", PDFText("«\u{A0}\(consent.clipped(1_000))\u{A0}»")),
            ]),
            .paragraph(
                "L’empreinte est celle des octets du document tel qu’il a été présenté aux signataires.",
                DocumentStyle.note),
            .heading(signers.count > 1 ? "Signataires" : "Signataire", level: 2),
        ]
        blocks += signers.map(\.block)
        let last = signers.map(\.signedAt).max() ?? "2000-01-01T00:00:00Z"
        return organisme.sheet(
            title: "Certificat de signature – \(document.clipped(300))",
            created: DocumentDate.newest(of: [["updated_at": .string(last)]], else: nil), blocks)
    }
}

extension SignatureEvidence.Signer {
    fileprivate var block: PDFBlock {
        var facts = [
            PDFField("Adresse e-mail\u{A0}:", PDFText(email.clipped(255))),
            PDFField("Signé le\u{A0}:", PDFText(FrenchTypography.printed.moment(signedAt))),
            PDFField("Adresse réseau\u{A0}:", PDFText(address.clipped(100))),
        ]
        if let device { facts.append(PDFField("Appareil\u{A0}:", PDFText(device.clipped(300)))) }
        let drawn: [PDFBlock] =
            switch drawing {
            case .png(let bytes): [.image(PDFImage(bytes), width: 170, height: 70)]
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
