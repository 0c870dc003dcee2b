import DomainKit
import JSON
import PDF

/// For whom a contract is signed: the name of the place in its frame, and the value in calls and records.
enum SigningParty: String, CaseIterable {
    case client, formateur, organisme

    /// `Pour l’organisme de formation`, on the page of evidence.
    var label: String {
        switch self {
        case .client: "le client"
        case .formateur: "le formateur"
        case .organisme: "l’organisme de formation"
        }
    }

    /// The parties of a contract, the other one before the organisation, as signatories are asked.
    static func parties(of method: String) -> [SigningParty] {
        switch method {
        case "sessions.convention": [.client, .organisme]
        case "sessions.contrat_formateur": [.formateur, .organisme]
        default: []
        }
    }

    /// For whom each signatory signs. Those of whom the call has not said it sign for the parties that are left, in the order of
    /// these, and then for the other party.
    ///
    /// - Parameter parties: those of the contract.
    static func assigned(_ said: [SigningParty?], of parties: [SigningParty]) -> [SigningParty] {
        guard let other = parties.first else { return [] }
        var left = parties.filter { !said.contains($0) }[...]
        return said.map { party in
            if let party, parties.contains(party) { return party }
            return left.popFirst() ?? other
        }
    }
}

extension SessionDocument {
    /// The end of a contract, where it is signed: on paper, or in frames that the signatures fill later.
    ///
    /// - Parameter signatures: the part of each party, and who signs for it. The organisation comes first.
    func closing(_ signatures: [(part: String, name: String?)]) -> [PDFBlock] {
        guard let signers else {
            return [
                .space(6), .paragraph("Fait en deux exemplaires, à ……………………………………, le ……………………………"),
                .columns(signatures.map(paperFrame)),
            ]
        }
        let other = audience == .client ? SigningParty.client : .formateur
        let names = [organisme.name, (audience == .client ? client : formateur)?.name]
        return [
            .space(6),
            .paragraph(
                "Fait et signé par voie électronique\u{202F}; chaque partie en reçoit un exemplaire. La date de chaque "
                    + "signature figure dans son cadre, et sa preuve à la dernière page."),
            .columns(
                zip(signatures, zip([SigningParty.organisme, other], names)).map { signature, place in
                    PDFColumn(
                        isFramed: true,
                        [
                            .paragraph(.bold(signature.part), DocumentStyle.small),
                            .paragraph(PDFText(place.1 ?? ""), DocumentStyle.small), .space(2),
                            .place(
                                place.0.rawValue, width: 400,
                                height: SignatureFrame.height(for: signers.count { $0 == place.0 })),
                        ])
                }),
        ]
    }

    /// A frame to sign in by hand.
    private func paperFrame(_ part: String, _ name: String?) -> PDFColumn {
        PDFColumn(
            isFramed: true,
            [
                .paragraph(.bold(part), DocumentStyle.small),
                .paragraph(PDFText(name ?? "Nom et qualité\u{202F}:"), DocumentStyle.small),
                .paragraph("Signature, précédée de «\u{A0}lu et approuvé\u{A0}»", DocumentStyle.note), .space(38),
            ])
    }
}

extension SignatureEvidence {
    /// What stands in the frames of a contract, in so many points: each signer in that of the party for which they sign.
    func frames(of parties: [SigningParty]) -> [String: (Double) -> [PDFBlock]] {
        let assigned = SigningParty.assigned(signers.map(\.party), of: parties)
        return Dictionary(
            uniqueKeysWithValues: parties.map { party in
                let signers = zip(self.signers, assigned).filter { $0.1 == party }.map(\.0)
                return (party.rawValue, { SignatureFrame(signers: signers, height: $0).blocks })
            })
    }
}

/// The signatures in the frame of a party.
struct SignatureFrame {
    let signers: [SignatureEvidence.Signer]
    /// In points.
    let height: Double

    /// Of a name and a date, and of the space between two of them.
    private static let written = 27.0
    /// The least room of a drawing.
    private static let drawn = 32.0
    /// Of the line that says that there are others.
    private static let note = 14.0
    /// So many have room in a frame. The others are on the page of evidence.
    private static let most = 4

    /// Of the room that a frame has for the signatures of so many people.
    static func height(for count: Int) -> Double {
        guard count > 1 else { return 76 }
        return Double(min(count, most)) * (written + drawn) + (count > most ? note : 0)
    }

    var blocks: [PDFBlock] {
        guard !signers.isEmpty else { return [.paragraph("Non signé par voie électronique.", DocumentStyle.note)] }
        // A contract of an earlier version has room for one. Then only names stand there.
        let hasDrawings = height >= Self.height(for: signers.count) - 0.5
        let each = Self.written + (hasDrawings ? Self.drawn : 0)
        var count = signers.count
        if Double(count) * each > height + 0.5 { count = max(1, Int((height - Self.note + 0.5) / each)) }
        let rest = signers.count - count
        let room = (height - (rest > 0 ? Self.note : 0)) / Double(count) - Self.written
        return signers.prefix(count).flatMap { $0.frame(drawingHeight: hasDrawings ? room : 0) }
            + (rest > 0
                ? [
                    .paragraph(
                        PDFText("et \(rest) autre\(rest == 1 ? "" : "s"), voir la dernière page"), DocumentStyle.note)
                ] : [])
    }
}

extension SignatureEvidence.Signer {
    /// The drawing, if it has a height, the name and the date.
    fileprivate func frame(drawingHeight room: Double) -> [PDFBlock] {
        let style = PDFTextStyle(size: 16, color: DocumentStyle.muted)
        // The name stands for the drawing of who has drawn nothing.
        let written = PDFBlock.paragraph(PDFText(name.clipped(40)), style)
        let drawn: [PDFBlock] =
            switch drawing {
            case _ where room < 12: []
            case .png(let bytes):
                [.image(PDFImage(bytes, maxPixels: CRM.drawingPixels, else: [written]), width: 150, height: room)]
            case .strokes(let strokes): [.strokes(strokes, width: 150, height: room)]
            case nil: [written]
            }
        return drawn + [
            .paragraph(.bold(name.clipped(60)), DocumentStyle.small),
            .paragraph(
                PDFText("Signé électroniquement le \(FrenchTypography.printed.momentOfDay(signedAt))"),
                PDFTextStyle(size: 7.5, color: DocumentStyle.muted, leading: 1.35)),
        ]
    }
}

extension FrenchTypography {
    /// `20 juillet 2026 à 14 h 05`; the text itself if it is not a moment in ISO 8601.
    func momentOfDay(_ text: String) -> String {
        let parts = text.split(separator: "T", maxSplits: 1)
        guard parts.count == 2, let date = CalendarDate(parts[0]),
            let clock = ClockTime(parts[1].prefix { $0.isNumber || $0 == ":" })
        else { return text }
        return "\(dayInMonth(date)) \(date.year) à \(time(clock))"
    }
}
