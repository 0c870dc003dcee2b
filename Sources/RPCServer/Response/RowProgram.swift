import JSON
import PostgresDriver
import QueryCompiler

/// A row layout, compiled for writing: one block of memory with all literal bytes, and a flat list of instructions.
/// Writing a row with it changes no reference count.
final class RowProgram: Sendable {
    struct Instruction: Sendable {
        enum Kind: Sendable { case literal, bare, quoted, escaped, object, unless }

        let kind: Kind
        /// The column, or for a literal the offset of its first byte.
        let place: Int
        /// For a literal its length; for parts that can be left out the index of the instruction after it.
        var extent = 0
    }

    let literals: [UInt8]
    let instructions: [Instruction]
    /// How many instructions write a value.
    private let values: Int

    init(_ parts: [RowLayout.Part]) {
        var literals: [UInt8] = []
        var instructions: [Instruction] = []
        Self.append(parts, &literals, &instructions)
        self.literals = literals
        self.instructions = instructions
        values = instructions.count { $0.kind != .literal }
    }

    private static func append(
        _ parts: [RowLayout.Part], _ literals: inout [UInt8], _ instructions: inout [Instruction]
    ) {
        for part in parts {
            switch part {
            case .bytes(let bytes):
                instructions.append(Instruction(kind: .literal, place: literals.count, extent: bytes.count))
                literals += bytes
            case .bare(let column): instructions.append(Instruction(kind: .bare, place: column))
            case .quoted(let column): instructions.append(Instruction(kind: .quoted, place: column))
            case .escaped(let column): instructions.append(Instruction(kind: .escaped, place: column))
            case .object(let presence, let inner):
                let index = instructions.count
                instructions.append(Instruction(kind: .object, place: presence))
                append(inner, &literals, &instructions)
                instructions[index].extent = instructions.count
            case .unless(let column, let inner):
                let index = instructions.count
                instructions.append(Instruction(kind: .unless, place: column))
                append(inner, &literals, &instructions)
                instructions[index].extent = instructions.count
            }
        }
    }
}

extension RowProgram {
    /// Writes as many rows of `range` as fit.
    /// - Returns: the first row that does not fit.
    func write(_ range: Range<Int>, of rows: some RowSource, into output: inout RowBuffer) -> Int {
        literals.withUnsafeBytes { literals in
            instructions.withUnsafeBufferPointer { instructions in
                for row in range {
                    let start = output.count
                    if row > 0 { output.append(UInt8(ascii: ",")) }
                    Self.run(instructions, literals, rows, row, &output)
                    guard !output.isFull else {
                        output.truncate(to: start)
                        return row
                    }
                }
                return range.upperBound
            }
        }
    }

    /// The size of the rows of `range` if no text needs escapes, in bytes; nil if it exceeds `limit`. It is computed
    /// from the lengths of the values, without reading them.
    func leastSize(of range: Range<Int>, in rows: some RowSource, upTo limit: Int) -> Int? {
        var size = 0
        for row in range {
            var index = 0
            while index < instructions.count {
                let instruction = instructions[index]
                let place = instruction.place
                index += 1
                switch instruction.kind {
                case .literal: size += instruction.extent
                case .bare: size += rows.withBytes(row, place) { $0?.count ?? 4 }
                case .quoted, .escaped: size += rows.withBytes(row, place) { $0.map { $0.count + 2 } ?? 4 }
                case .object:
                    guard rows.isNull(row, place) else { continue }
                    size += 4
                    index = instruction.extent
                case .unless:
                    guard let length = rows.withBytes(row, place, { $0?.count }) else { continue }
                    size += length
                    index = instruction.extent
                }
            }
            guard size <= limit else { return nil }
        }
        return size
    }

    /// An estimate of the size of all rows in bytes, without a look at each value.
    func estimatedSize(of rows: Rows) -> Int {
        // A selection may name one column several times.
        let repetitions = 1 + values / max(1, rows.columnCount)
        return rows.count * (literals.count + 2 * values) + repetitions * rows.byteCount
    }

    private static func run(
        _ instructions: UnsafeBufferPointer<Instruction>, _ literals: UnsafeRawBufferPointer, _ rows: some RowSource,
        _ row: Int, _ output: inout RowBuffer
    ) {
        var index = 0
        // A row that does not fit is written again from its beginning, or not at all.
        while index < instructions.count, !output.isFull {
            let instruction = instructions[index]
            let place = instruction.place
            index += 1
            switch instruction.kind {
            case .literal:
                output.append(UnsafeRawBufferPointer(rebasing: literals[place..<place + instruction.extent]))
            case .bare:
                rows.withBytes(row, place) { bytes in
                    if let bytes { output.append(bytes) } else { output.append("null") }
                }
            case .quoted:
                rows.withBytes(row, place) { bytes in
                    if let bytes { output.appendQuoted(bytes) } else { output.append("null") }
                }
            case .escaped:
                rows.withBytes(row, place) { bytes in
                    if let bytes { output.appendJSONString(bytes) } else { output.append("null") }
                }
            case .object:
                guard rows.isNull(row, place) else { continue }
                output.append("null")
                index = instruction.extent
            case .unless:
                let isReplaced = rows.withBytes(row, place) { bytes in
                    if let bytes { output.append(bytes) }
                    return bytes != nil
                }
                if isReplaced { index = instruction.extent }
            }
        }
    }
}

/// Rows of texts, as ``RowProgram`` reads them. Tests substitute their own.
protocol RowSource {
    var count: Int { get }
    func text(_ row: Int, _ column: Int) -> String?
    func isNull(_ row: Int, _ column: Int) -> Bool
    /// Calls `body` with the bytes of a value without copying them; nil for null.
    func withBytes<R>(_ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer?) throws -> R) rethrows -> R
}

extension Rows: RowSource {}
