import Auth
import PostgresDriver

/// What the files in PNG and SVG show. Each is drawn once, and the database keeps what was drawn.
package struct FilePictures: Sendable {
    let store: FileStore
    private let drawing: any PictureDrawing
    /// Apart from those of documents, which need not wait for a picture that is slow to draw. One is drawn at once: who gives many
    /// that are slow takes no more than a processor.
    private let turns = AccountTurns(atOnce: 1)

    init(store: FileStore, drawing: any PictureDrawing) {
        self.store = store
        self.drawing = drawing
    }

    /// Draws what an account gives, in its turn.
    package func draw(
        _ bytes: [UInt8], of account: Int64, in company: Company, by deadline: ContinuousClock.Instant
    ) async throws(ExecutionError) -> DrawnPicture {
        try await turns.take(for: account, in: company, by: deadline) { () throws(ExecutionError) in
            try await mapError(async: await drawing.draw(bytes, by: deadline), ExecutionError.init(picture:))
        }
    }

    /// The picture that a file shows, in Base64 with the alphabet of addresses; empty if it cannot be drawn, nil if the file is
    /// gone or has more than `maxBytes`. One that was given before pictures were kept is drawn now.
    ///
    /// - Parameter id: digits.
    func base64(of id: String, upTo maxBytes: Int, for call: Call) async throws(ExecutionError) -> String? {
        if let kept = try await mapError(async: await store.picture(of: id, for: call), ExecutionError.init(postgres:))
        {
            return kept
        }
        let bytes = try await mapError(
            async: await store.bytes(
                of: id, upTo: maxBytes, in: call.company, for: call.caller?.share, deadline: call.context.deadline),
            ExecutionError.init(postgres:))
        guard let bytes else { return nil }
        let drawn = try await draw(
            bytes, of: call.caller?.user.accountID ?? 0, in: call.company, by: call.context.deadline)
        try await mapError(
            async: await store.keep(
                drawn, of: id, in: call.company, share: call.caller?.share, deadline: call.context.deadline),
            ExecutionError.init(postgres:))
        return try await mapError(async: await store.picture(of: id, for: call), ExecutionError.init(postgres:))
    }
}

extension ExecutionError {
    fileprivate init(picture error: PictureDrawingError) {
        self =
            switch error {
            case .timeout: .timeout
            case .unavailable(let cause): .unavailable(cause: "a picture cannot be drawn: \(cause)")
            }
    }
}
