package import DomainKit
import JSON
import RPCServer
import Threads

/// What draws documents that take long, apart from the server: a document cannot hold up those of other accounts.
package protocol DocumentDrawing: Sendable {
    /// - Parameter deadline: when the drawing ends without a result.
    func draw(
        _ order: DocumentOrder, by deadline: ContinuousClock.Instant
    ) async throws(DocumentDrawingError) -> DocumentContent
}

/// Why a document was not drawn.
package enum DocumentDrawingError: Error, Sendable {
    /// It takes longer than a document may, or the deadline has passed.
    case timeout
    /// Nothing can be drawn now, or not this: the cause, for the log.
    case failed(String)
}

/// A document to be drawn: which declaration of a domain draws it, and from what.
package struct DocumentOrder: Sendable, Equatable {
    /// The name of the method that makes the document.
    let method: String
    /// The values of its parameters.
    let parameters: [String: JSONValue]
    /// What it has loaded.
    let loaded: [JSONValue]
    /// The document as signatories are shown it; nil: as the method makes it.
    package var signing: Signing?

    package struct Signing: Sendable, Equatable {
        /// The name of the ``DomainKit/Signatures``.
        let name: String
        /// For whom each signatory signs.
        let capacities: [String?]

        package init(name: String, capacities: [String?]) {
            self.name = name
            self.capacities = capacities
        }
    }

    /// Draws the document in this process.
    ///
    /// - Throws: what the domain throws.
    package func draw(in domains: [Domain]) throws -> DocumentContent {
        for domain in domains {
            if let signing, let render = domain.signatures.first(where: { $0.name == signing.name })?.render {
                return try render(method, signing.capacities, loaded)
            }
            let declared = domain.methods.first { $0.qualifiedName == method }
            guard case .document(_, _, let render)? = declared?.answers else { continue }
            return try render(loaded, parameters)
        }
        throw DocumentDrawingError.failed("no domain makes documents by \(method)")
    }
}

// MARK: As bytes, for another process

extension DocumentOrder {
    package var bytes: [UInt8] {
        let signing = signing.map { signing -> JSONValue in
            [
                "name": .string(signing.name),
                "capacities": .array(signing.capacities.map { $0.map { .string($0) } ?? .null }),
            ]
        }
        let parameters = self.parameters.sorted { $0.key < $1.key }.map { JSONObject.Member($0.key, $0.value) }
        return [UInt8](
            json: [
                "method": .string(method), "parameters": .object(JSONObject(parameters)), "loaded": .array(loaded),
                "signing": signing ?? .null,
            ])
    }

    /// Nil if the bytes are not those of an order.
    package init?(_ bytes: [UInt8]) {
        let document = try? bytes.withUnsafeBytes { try JSONReader.read($0, maxDepth: JSONReader.deepest) }
        guard let value = document?.value, let method = value["method"]?.text,
            case .object(let parameters)? = value["parameters"], case .array(let loaded)? = value["loaded"]
        else { return nil }
        self.method = method
        self.parameters = Dictionary(
            parameters.members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        self.loaded = loaded
        guard let signing = value["signing"], let name = signing["name"]?.text,
            case .array(let capacities)? = signing["capacities"]
        else { return }
        self.signing = Signing(name: name, capacities: capacities.map(\.text))
    }
}

/// Draws documents in this process, for a service without a program of its own.
struct DrawingHere: DocumentDrawing {
    let domains: [Domain]

    func draw(
        _ order: DocumentOrder, by deadline: ContinuousClock.Instant
    ) async throws(DocumentDrawingError) -> DocumentContent {
        try await BlockingThread.value(
            name: "drawing", priority: .low, orThrow: .failed("the system has no thread left")
        ) { () throws(DocumentDrawingError) in
            do { return try order.draw(in: domains) } catch { throw .failed("\(error)") }
        }
    }
}

extension ExecutionError {
    init(drawing error: DocumentDrawingError) {
        self =
            switch error {
            case .timeout: .timeout
            case .failed(let cause): .unexpected(cause: "a document cannot be drawn: \(cause)")
            }
    }
}
