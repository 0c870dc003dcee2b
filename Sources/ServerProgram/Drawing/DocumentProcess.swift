import Documents
import DomainKit
import JSON
import RPCServer

/// Draws documents in processes of this program, each of which ends with its document.
struct DocumentProcess: DocumentDrawing {
    private static let process = DrawingProcess(command: DrawDocument.name, maxBytes: 64 << 20)

    func draw(
        _ order: DocumentOrder, by deadline: ContinuousClock.Instant
    ) async throws(DocumentDrawingError) -> DocumentContent {
        switch await Self.process.run(order.bytes, by: deadline) {
        case .drawn(let output):
            guard let content = DocumentContent(output) else { throw .failed("the process has written no document") }
            return content
        case .excessive, .timeout: throw .timeout
        case .unreadable: throw .failed("the order cannot be read")
        case .unavailable(let cause): throw .failed(cause)
        }
    }
}

extension DocumentContent {
    /// - Parameter output: of ``DrawDocument``.
    fileprivate init?(_ output: [UInt8]) {
        guard let end = output.firstIndex(of: 0x0A),
            case .array(let warnings)? = try? JSONReader.read(String(decoding: output[..<end], as: UTF8.self)).value
        else { return nil }
        self.init(Array(output[(end + 1)...]), warnings: warnings.compactMap(\.text))
    }
}
