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
}

extension SessionDocument {
    /// The end of a contract, where it is signed: on paper, or in frames that the signatures fill later.
    ///
    /// - Parameter signatures: the part of each party, and who signs for it. The organisation comes first.
    func closing(_ signatures: [(part: String, name: String?)]) -> [PDFBlock] {
        guard isSignedOnline else {
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
                            .place(place.0.rawValue, width: 400, height: SignatureEvidence.placeHeight),
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
    /// Of the room in a frame, in points: for a drawing, a name and a date.
    static let placeHeight = 76.0

    /// What stands in the frames of a contract: each signer in that of the party for which they sign.
    ///
    /// Signers of whom the call did not say it have the frames that are left, in the order in which they were asked.
    func frames(of parties: [SigningParty]) -> [String: [PDFBlock]] {
        var signers: [SigningParty: [Signer]] = [:]
        for signer in self.signers {
            guard let party = signer.party, parties.contains(party) else { continue }
            signers[party, default: []].append(signer)
        }
        var unassigned = self.signers.filter { $0.party == nil }[...]
        for party in parties where signers[party] == nil {
            if let signer = unassigned.popFirst() { signers[party] = [signer] }
        }
        return Dictionary(
            uniqueKeysWithValues: parties.map { party in
                guard let present = signers[party] else {
                    return (party.rawValue, [.paragraph("Non signé par voie électronique.", DocumentStyle.note)])
                }
                let height = Self.placeHeight / Double(present.count)
                return (party.rawValue, present.flatMap { $0.frame(height: height) })
            })
    }
}

extension SignatureEvidence.Signer {
    /// The drawing as high as there is room, the name and the date.
    fileprivate func frame(height: Double) -> [PDFBlock] {
        let room = height - 36
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
