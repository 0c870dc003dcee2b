import NIOCore
import QueryCompiler

/// A page of records, as the driver returns it, that is written as JSON.
package struct RowWriterPage {
    package let rows: Int
    private let source: Rows
    private let program: RowProgram

    package init(rows: Int) {
        self.rows = rows
        source = Rows(
            count: rows,
            texts: ["1234", "SwiftUI avancé", "2026-01-12", "7", "Élodie Dupré", nil, "Société «Le Pré»\t", "1200.50"])
        program = RowProgram([
            .bytes(Array(#"{"id":"#.utf8)), .bare(0), .bytes(Array(#","module":"#.utf8)), .escaped(1),
            .bytes(Array(#","date":"#.utf8)), .quoted(2), .bytes(Array(#","formateur":"#.utf8)),
            .object(
                presence: 3,
                [
                    .bytes(Array(#"{"nom_complet":"#.utf8)), .escaped(4), .bytes(Array(#","telephone":"#.utf8)),
                    .escaped(5),
                    .bytes(Array("}".utf8)),
                ]), .bytes(Array(#","client":{"raison_sociale":"#.utf8)), .escaped(6),
            .bytes(Array(#"},"tarif_client":"#.utf8)), .bare(7), .bytes(Array("}".utf8)),
        ])
    }

    /// Writes the page once and returns its size in bytes.
    package func run() -> Int {
        var buffer = ByteBuffer()
        do throws(ResponseBufferFullError) {
            try buffer.writeRows(rows, of: source, as: program, upTo: .max)
        } catch {
            preconditionFailure("there is room for everything")
        }
        return buffer.readableBytes
    }

    /// Rows with the same texts, which stay at one place in memory like those of libpq.
    private final class Rows: RowSource {
        let count: Int
        private let texts: [String?]
        private let bytes: [UnsafeMutableRawBufferPointer?]

        init(count: Int, texts: [String?]) {
            self.count = count
            self.texts = texts
            bytes = texts.map { text in
                text.map { text in
                    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: text.utf8.count, alignment: 1)
                    memory.copyBytes(from: text.utf8)
                    return memory
                }
            }
        }

        deinit { for memory in bytes { memory?.deallocate() } }

        func text(_ row: Int, _ column: Int) -> String? { texts[column] }

        func isNull(_ row: Int, _ column: Int) -> Bool { bytes[column] == nil }

        func withBytes<R>(_ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer?) throws -> R) rethrows -> R {
            try body(bytes[column].map { UnsafeRawBufferPointer($0) })
        }
    }
}
